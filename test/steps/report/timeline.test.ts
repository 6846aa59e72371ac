import { afterEach, expect, test } from 'vitest';
import { listTimelineCells, renderTimelineSvg, renderTimelineText } from '../../../src/artifacts/timeline.ts';
import { toSiteTimes } from '../../../src/session/journal.ts';
import type { JournalLine } from '../../../src/session/journal-line.ts';
import { deriveTimeline } from '../../../src/steps/report/timeline.ts';
import { MARKUP_INJECTIONS, readMarkup } from '../../support/markup.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let fixture: StepFixture;
afterEach(() => fixture.remove());

const START = Date.parse('2024-03-01T10:00:00.000Z');
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const time = (minutes: number) => START + minutes * 60_000;
const begin = (id: string, minutes: number, step: string, action: string, subject: string | null): JournalLine => ({
  type: 'begun',
  at: at(minutes),
  id,
  step,
  action,
  subject,
});
const end = (id: string, minutes: number, outcome: 'done' | 'failed' | 'cancelled' = 'done'): JournalLine => ({
  type: 'ended',
  at: at(minutes),
  id,
  outcome,
  code: null,
});
const open = (minutes: number, user: string): JournalLine => ({
  type: 'opened',
  at: at(minutes),
  program: 'upi-wizard',
  user,
  from: null,
});

/** A journal with two users, of whom one was killed, a move that failed first, and an undo with a consent. */
const JOURNAL: readonly JournalLine[] = [
  open(-10, 'alice'),
  begin('1', 30, 'bootstrap-removal', 'apply', null),
  end('1', 31),
  begin('2', 35, 'certificates', 'approve', 'csr-a'),
  end('2', 35),
  begin('3', 40, 'certificates', 'approve', 'csr-b'),
  open(60, 'bob'),
  begin('4', 61, 'infra', 'apply', 'router'),
  end('4', 63, 'failed'),
  begin('5', 64, 'infra', 'apply', 'router'),
  end('5', 70),
  begin('6', 71, 'infra', 'undo', 'label'),
  begin('6a', 71, 'infra', 'undo', 'label'),
  end('6a', 72),
  end('6', 72),
  { type: 'left', at: at(80), program: 'upi-wizard' },
];

function deriveRows() {
  fixture = createStepFixture();
  fixture.facts['powered-on'] = { bs: time(0), m1: time(1), w1: time(32) };
  fixture.facts['ready-at'] = { m1: time(21), w1: time(45) };
  fixture.facts['bootstrap-progress'] = {
    stages: { api: { startedAt: time(10), doneAt: time(12) }, complete: { startedAt: time(20), doneAt: time(25) } },
    changedAt: time(25),
    signature: '',
  };
  fixture.facts.traffic = { router: { requests: 150, failed: 2, failure: null } };
  return deriveTimeline(fixture.context, time(58), JOURNAL);
}

test('each bar begins and ends when the journal and the cluster say', () => {
  const rows = deriveRows();
  const bars = rows.map(({ group, name, segments }) => [
    group,
    name,
    ...segments.map(({ startedAt, endedAt, outcome }) => [startedAt, endedAt, outcome]),
  ]);
  expect(bars).toEqual([
    ['machines', 'bs', [at(0), at(31), 'done']],
    ['machines', 'm1', [at(1), at(21), 'done']],
    ['machines', 'w1', [at(32), at(45), 'done']],
    ['bootstrap', 'API answers through the load balancer', [at(10), at(12), 'done']],
    ['bootstrap', 'Bootstrap completes', [at(20), at(25), 'done']],
    ['operators', 'Operators, until all are complete', [at(45), at(58), 'done']],
    ['approvals', 'Approved by the wizard', [at(35), at(35), 'done'], [at(40), at(40), 'done']],
    ['moves', 'router', [at(61), at(63), 'failed'], [at(64), at(70), 'done']],
    ['moves', 'undo label', [at(71), at(72), 'done']],
    ['sessions', 'Wizard run by alice', [at(-10), at(40), 'failed']],
    ['sessions', 'Wizard run by bob', [at(60), at(80), 'done']],
  ]);
  expect(rows.map(({ usual }) => usual)).toEqual([
    null,
    [20, 40],
    [10, 25],
    [0, 5],
    [2, 12],
    [30, 60],
    null,
    [2, 6],
    null,
    null,
    null,
  ]);
  expect(rows.find(({ name }) => name === 'router')?.note).toBe('2 of 150 requests of users failed');
  expect(rows.find(({ name }) => name === 'Wizard run by alice')?.note).toBe('in 1 session, 1 ended abruptly');
});

test('the table has the start, the end and the duration of each bar', () => {
  const cells = listTimelineCells(deriveRows());
  expect(cells[2]).toEqual(['w1', '10:32', '10:45', '13 min', '10–25 min', 'until Ready for the first time']);
  expect(cells[6]).toEqual(['Approved by the wizard', '10:35', '10:40', '', '', '2 requests']);
});

test('an undo and a second application are rows of their own, each with its own duration', () => {
  fixture = createStepFixture();
  fixture.facts.traffic = { registry: { requests: 9, failed: 1, failure: null } };
  const rows = deriveTimeline(fixture.context, time(0), [
    begin('1', 0, 'infra', 'apply', 'registry'),
    end('1', 4),
    begin('2', 60, 'infra', 'undo', 'registry'),
    end('2', 63),
    begin('3', 120, 'infra', 'apply', 'registry'),
    end('3', 121, 'failed'),
    begin('4', 125, 'infra', 'apply-one', 'registry'),
    end('4', 130),
  ]);
  const usual = rows[0]?.usual?.join('–');
  expect(listTimelineCells(rows)).toEqual([
    ['registry', '10:00', '10:04', '4 min', `${usual} min`, ''],
    ['undo registry', '11:00', '11:03', '3 min', '', ''],
    ['registry, again', '12:05', '12:10', '5 min', `${usual} min`, '1 of 9 requests of users failed'],
  ]);
});

test('a machine that was lost and replaced has its row, from its replacement until Ready', () => {
  fixture = createStepFixture();
  fixture.facts['installed-anew'] = { m2: time(100), w1: time(100) };
  fixture.facts['ready-at'] = { m2: time(112), w1: time(45) };
  expect(listTimelineCells(deriveTimeline(fixture.context, time(58), []))).toEqual([
    ['m2, replaced', '11:40', '11:52', '12 min', '10–25 min', 'until Ready for the first time'],
    ['w1, replaced', '11:40', '', '', '10–25 min', 'never observed as Ready'],
  ]);
});

test('the time of a user with several sessions is that of the sessions, not of the breaks between them', () => {
  fixture = createStepFixture();
  const left = (minutes: number): JournalLine => ({ type: 'left', at: at(minutes), program: 'upi-wizard' });
  const rows = deriveTimeline(fixture.context, null, [open(0, 'root'), left(10), open(300, 'root'), left(305)]);
  expect(listTimelineCells(rows)).toEqual([['Wizard run by root', '10:00', '15:05', '15 min', '', 'in 2 sessions']]);
});

test('bars of the drawing are where the times are, on one axis, inside of the picture', () => {
  const svg = renderTimelineSvg(deriveRows());
  const { elements } = readMarkup(svg.replace(/<style>[\s\S]*?<\/style>/, ''));
  const rects = elements.filter(({ name }) => name === 'rect').map(({ attributes }) => attributes);
  const bars = rects.filter((attributes) => ['bar', 'failed'].includes(attributes.get('class') ?? ''));
  const number = (attributes: ReadonlyMap<string, string>, key: string) => Number(attributes.get(key));
  expect(bars).toHaveLength(13);
  const [bs, m1] = bars;
  if (!bs || !m1) throw new Error('no bars');
  // 72 minutes are shown: bs took 31 of them, and m1 20 from the first minute on.
  const scale = number(bs, 'width') / 31;
  expect(number(m1, 'width') / 20).toBeCloseTo(scale, 1);
  expect(number(m1, 'x') - number(bs, 'x')).toBeCloseTo(scale, 0);
  for (const bar of rects.filter((attributes) => attributes.get('class') !== 'paper')) {
    expect(number(bar, 'x')).toBeGreaterThanOrEqual(0);
    expect(number(bar, 'x') + number(bar, 'width')).toBeLessThanOrEqual(960);
  }
});

test('a terminal of 110 columns gets the bars as characters, in their order and width', () => {
  const lines = renderTimelineText(deriveRows(), 110);
  expect(lines[0]).toMatch(/^ +10:00 +11:12$/);
  const router = lines.find((line) => line.includes('  router '));
  expect(router).toMatch(/×+━+/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(110);
});

test('times over midnight have their date in the table, in the drawing and in the terminal', () => {
  const last = deriveRows().map((row) => ({
    ...row,
    segments: row.segments.map((segment) => ({ ...segment, endedAt: at(900) })),
  }));
  const [start = ''] = listTimelineCells(last)[2]?.slice(1) ?? [];
  expect(start).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  expect(renderTimelineText(last, 110)[0]).toMatch(/^ +\d{4}-\d\d-\d\d 10:00 +2024-03-02 01:00$/);
  expect(renderTimelineSvg(last)).toContain('>03-02<');
});

test.each(MARKUP_INJECTIONS)('hostile names are inert in the drawing: %j', (hostile) => {
  const rows = deriveRows();
  const count = (svg: string) =>
    readMarkup(svg.replace(/<style>[\s\S]*?<\/style>/, '')).elements.map(({ name }) => name);
  const plain = rows.map((row) => ({ ...row, name: 'x', note: '' }));
  const poisoned = rows.map((row) => ({ ...row, name: hostile.slice(0, 40), note: hostile }));
  expect(count(renderTimelineSvg(poisoned))).toEqual(count(renderTimelineSvg(plain)));
});

test('in a rehearsal, lines get the time of the site; a line that has none gets one between those beside it', () => {
  fixture = createStepFixture();
  const line = (id: string, minutes: number, siteMinutes: number): JournalLine => ({
    ...(begin(id, minutes, 'hosts', 'apply', null) as Extract<JournalLine, { type: 'begun' }>),
    siteAt: at(siteMinutes),
  });
  const times = toSiteTimes([open(0, 'a'), line('1', 1, 60), open(2, 'b'), line('2', 3, 180)]).map((each) => each.at);
  expect(times).toEqual([at(59), at(60), at(120), at(180)]);
  // On a real site nothing changes.
  expect(toSiteTimes([open(0, 'a'), open(5, 'b')]).map((each) => each.at)).toEqual([at(0), at(5)]);
});
