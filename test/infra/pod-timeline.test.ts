import { expect, onTestFinished, test } from 'vitest';
import { applyMoves } from '../../src/infra/apply-moves.ts';
import { formatMoveEvent, type MoveEvent } from '../../src/infra/run.ts';
import { undoMoves } from '../../src/infra/undo-moves.ts';
import { createInfraContext } from '../../src/steps/infra/move-execution.ts';
import { reportStep } from '../../src/steps/report.ts';
import type { StepFacts } from '../../src/steps/step-state.ts';
import { INFRA, infraWorld } from '../support/infra-world.ts';
import { createStepFixture } from '../support/step-fixture.ts';

test('a move reports when each pod left a node and became Ready on another, without extra requests', async () => {
  const world = infraWorld('4.18.9');
  await world.applyAndSettle('label');
  let lists = 0;
  world.intercept = ({ method, path }) => {
    if (method === 'GET' && /\/pods$/.test(path)) lists += 1;
    return null;
  };
  const events: MoveEvent[] = [];
  const onEvent = (event: MoveEvent) => void events.push(event);
  expect(await applyMoves(world.site, ['router'], { onEvent, confirmedChanges: null })).toEqual({ end: 'done' });
  const transitions = events.flatMap((event) => (event.type === 'pod' ? event.transition : []));
  const routerTransitions = transitions.filter(({ pod }) => pod.startsWith('openshift-ingress/router-default-'));
  const readyPods = routerTransitions.filter(({ did }) => did === 'ready');
  expect(readyPods.map(({ node }) => node).sort()).toEqual(INFRA);
  const departures = routerTransitions.filter(({ did }) => did === 'left');
  expect(departures.length).toBeGreaterThan(0);
  expect(readyPods.map(({ pod }) => pod)).not.toContain(departures[0]?.pod);
  expect(transitions.map(({ at }) => at)).toEqual(transitions.map(({ at }) => at).sort((a, b) => a - b));
  const lines = events.flatMap((event) => (event.type === 'pod' ? (formatMoveEvent(event) ?? []) : []));
  expect(lines[0]).toMatch(/^openshift-\S+ (left|is Ready on) \S+$/);
  const probes = events.filter(({ type }) => type === 'waiting').length;
  expect(lists).toBeLessThanOrEqual(probes + 3);
});

test('each move has its own timeline in the report, when it is applied and when it is undone', async () => {
  const world = infraWorld('4.18.9');
  const facts: StepFacts = {};
  const { context, remove } = createStepFixture({ facts });
  onTestFinished(remove);
  const infra = { ...world.site, directory: createInfraContext(context).directory };
  await world.applyAndSettle('label');
  const names = ['router', 'monitoring'] as const;
  const onEvent = () => undefined;
  expect(await applyMoves(infra, names, { onEvent, confirmedChanges: null })).toEqual({ end: 'done' });
  const undoEvents: MoveEvent[] = [];
  expect(await undoMoves(infra, ['monitoring'], { onEvent: (event) => void undoEvents.push(event) })).toEqual({
    end: 'done',
  });
  const timelines = context.stepState.get('moved-pods') ?? {};
  const listRecords = (name: string, doing: string) => (timelines[name] ?? []).filter((one) => one.doing === doing);
  const listNamespaces = (name: string, doing: string) =>
    new Set(listRecords(name, doing).map(({ pod }) => pod.split('/')[0]));
  expect(listNamespaces('router', 'apply')).toEqual(new Set(['openshift-ingress']));
  expect(listRecords('router', 'undo')).toEqual([]);
  expect(listNamespaces('monitoring', 'apply')).toEqual(new Set(['openshift-monitoring']));
  const undoRecords = listRecords('monitoring', 'undo');
  const isInfra = ({ node }: { readonly node: string }) => INFRA.includes(node);
  expect(undoRecords.some((one) => one.did === 'left' && isInfra(one))).toBe(true);
  // Without a taint, pods may return to an infra node.
  expect(undoRecords.some(({ did, pod }) => did === 'ready' && pod.includes('/prometheus-k8s-'))).toBe(true);
  expect(undoEvents.filter(({ type }) => type === 'pod').length).toBeGreaterThanOrEqual(undoRecords.length);
  const { view } = await reportStep.probe(context);
  const lines = view.sections.find(({ id }) => id === 'pods')?.lines ?? [];
  expect(lines[0]).toMatch(
    /^- router: 2026-11-22 \d\d:\d\d:\d\d openshift-ingress\/router-default-\S+ (?:left|is Ready on) /,
  );
  expect(lines.some((line) => line.startsWith('- monitoring, undone: '))).toBe(true);
  // A new run of the move replaces its earlier timeline.
  expect(await applyMoves(infra, ['monitoring'], { onEvent, confirmedChanges: null })).toEqual({ end: 'done' });
  const newRecords = context.stepState.get('moved-pods')?.monitoring ?? [];
  expect(new Set(newRecords.map(({ doing }) => doing))).toEqual(new Set(['apply']));
});
