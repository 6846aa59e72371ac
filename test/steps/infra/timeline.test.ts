import { expect, onTestFinished, test } from 'vitest';
import type { Facts } from '../../../src/steps/facts.ts';
import { applyMoves } from '../../../src/steps/infra/apply-moves.ts';
import { type MoveEvent, undoMoves } from '../../../src/steps/infra/engine.ts';
import { lineOf } from '../../../src/steps/infra/lines.ts';
import { reportStep } from '../../../src/steps/report/index.ts';
import { UNLOGGED } from '../../../src/steps/shared/acts.ts';
import { INFRA, infraWorld } from '../../support/infra-world.ts';
import { stepWorld } from '../../support/step-world.ts';

test('a move tells when which pod left which node and became Ready where, without a request more', async () => {
  const world = infraWorld('4.18.9');
  await world.make('label');
  let lists = 0;
  world.instead = ({ method, path }) => {
    if (method === 'GET' && /\/pods$/.test(path)) lists += 1;
    return null;
  };
  const events: MoveEvent[] = [];
  const tell = (event: MoveEvent) => void events.push(event);
  expect(await applyMoves(world.site, ['router'], { tell, shown: null })).toEqual({ end: 'done' });
  const moved = events.flatMap((event) => (event.type === 'pod' ? event.moved : []));
  const ofRouters = moved.filter(({ pod }) => pod.startsWith('openshift-ingress/router-default-'));
  const came = ofRouters.filter(({ did }) => did === 'ready');
  expect(came.map(({ node }) => node).sort()).toEqual(INFRA);
  const left = ofRouters.filter(({ did }) => did === 'left');
  expect(left.length).toBeGreaterThan(0);
  expect(came.map(({ pod }) => pod)).not.toContain(left[0]?.pod);
  expect(moved.map(({ at }) => at)).toEqual(moved.map(({ at }) => at).sort((a, b) => a - b));
  const lines = events.flatMap((event) => (event.type === 'pod' ? (lineOf(event) ?? []) : []));
  expect(lines[0]).toMatch(/^\d\d:\d\d openshift-\S+ (left|is Ready on) \S+$/);
  const looks = events.filter(({ type }) => type === 'waiting').length;
  expect(lists).toBeLessThanOrEqual(looks + 3);
});

test('each move keeps its own timeline for the report, when it is made and when it is taken back', async () => {
  const world = infraWorld('4.18.9');
  const facts: Facts = {};
  const { context, remove } = stepWorld({ facts });
  onTestFinished(remove);
  const site = { ...world.site, context: { ...context, acts: UNLOGGED } };
  await world.make('label');
  const names = ['router', 'monitoring'] as const;
  const tell = () => undefined;
  expect(await applyMoves(site, names, { tell, shown: null })).toEqual({ end: 'done' });
  const told: MoveEvent[] = [];
  expect(await undoMoves(site, ['monitoring'], { tell: (event) => void told.push(event) })).toEqual({ end: 'done' });
  const moved = context.memory.get('moved-pods') ?? {};
  const of = (name: string, doing: string) => (moved[name] ?? []).filter((one) => one.doing === doing);
  const namespaces = (name: string, doing: string) => new Set(of(name, doing).map(({ pod }) => pod.split('/')[0]));
  expect(namespaces('router', 'apply')).toEqual(new Set(['openshift-ingress']));
  expect(of('router', 'undo')).toEqual([]);
  expect(namespaces('monitoring', 'apply')).toEqual(new Set(['openshift-monitoring']));
  const back = of('monitoring', 'undo');
  const isInfra = ({ node }: { readonly node: string }) => INFRA.includes(node);
  expect(back.some((one) => one.did === 'left' && isInfra(one))).toBe(true);
  // Without a taint, what runs anywhere may come back to an infra node.
  expect(back.some(({ did, pod }) => did === 'ready' && pod.includes('/prometheus-k8s-'))).toBe(true);
  expect(told.filter(({ type }) => type === 'pod').length).toBeGreaterThanOrEqual(back.length);
  const { view } = await reportStep.probe(site.context);
  const lines = view.sections.find(({ id }) => id === 'pods')?.lines ?? [];
  expect(lines[0]).toMatch(
    /^- router: 2026-11-22 \d\d:\d\d:\d\d openshift-ingress\/router-default-\S+ (?:left|is Ready on) /,
  );
  expect(lines.some((line) => line.startsWith('- monitoring, undone: '))).toBe(true);
  // Made anew, what was told of it before is past.
  expect(await applyMoves(site, ['monitoring'], { tell, shown: null })).toEqual({ end: 'done' });
  const again = context.memory.get('moved-pods')?.monitoring ?? [];
  expect(new Set(again.map(({ doing }) => doing))).toEqual(new Set(['apply']));
});
