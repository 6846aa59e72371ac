import { expect, test } from 'vitest';
import { applyMoves } from '../../../src/steps/infra/apply-moves.ts';
import type { MoveEvent } from '../../../src/steps/infra/engine.ts';
import { lineOf } from '../../../src/steps/infra/lines.ts';
import { INFRA, infraWorld } from '../../support/infra-world.ts';

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
