import { FAULTS } from '../../../src/rehearsal/site/faults.ts';
import { listFalseAlarms, type Score, scoreFault } from '../../checks/score/play.ts';
import { type HealthySiteResult, writeBoard } from '../../checks/score/scoreboard.ts';
import { FAULT_SITES, VARIATIONS } from '../../checks/score/variations.ts';
import { createTally, type Row } from '../row.ts';

/** A short run plays one fault that shows early, and one site that stays healthy. */
const SHORT_FAULTS = ['boot-program-missing'] as const;
const SHORT_SITES = ['compact: the control plane is everything'];
const MIN_PLAYS = 80;
/**
 * With `FAULTS=id,id`, only these are played again, and no healthy site; with `FAULTS=healthy`, only the healthy sites.
 * The other rows of the board stay.
 */
const SELECTED = process.env.FAULTS?.split(',') ?? null;

/** Diagnoses every fault that can be planted, and sites without a fault. */
export const diagnosis: Row = {
  description:
    'Rehearse every fault of rehearse --break on two sites, and 25 healthy sites. A simulated user follows the wizard and runs the diagnosis at up to 7 moments.',
  target: `>= ${MIN_PLAYS} rehearsals; the planted cause is named first each time, and a healthy site gets no findings (test/checks/SCOREBOARD.md)`,
  minCases: MIN_PLAYS,
  needs: [],
  async run({ isShort, report }) {
    const tally = createTally(report);
    const scores: Score[] = [];
    const healthy: HealthySiteResult[] = [];
    const faults = isShort ? SHORT_FAULTS : FAULTS.filter((fault) => SELECTED?.includes(fault) ?? true);
    for (const fault of faults) {
      for (const site of isShort ? FAULT_SITES.slice(0, 1) : FAULT_SITES) {
        await tally.try(`${fault} on ${site.name}`, async () => {
          const score = await scoreFault(fault, site);
          scores.push(score);
          report(`${fault} on ${site.name}: ${score.verdict}`);
          if (score.verdict === 'first' || score.verdict === 'not playable') return [];
          return [`${score.verdict}: ${JSON.stringify(score.snapshots)}`];
        });
      }
    }
    const variations =
      (SELECTED?.includes('healthy') ?? true)
        ? VARIATIONS.filter(({ name }) => !isShort || SHORT_SITES.includes(name))
        : [];
    for (const variation of variations) {
      await tally.try(variation.name, async () => {
        const { moments, alarms } = await listFalseAlarms(variation);
        healthy.push({ name: variation.name, moments, alarms });
        report(`${variation.name}: ${alarms.length} alarms`);
        return alarms;
      });
    }
    if (!isShort) writeBoard(scores, healthy);
    const first = scores.filter(({ verdict }) => verdict === 'first').length;
    const alarms = healthy.reduce((sum, each) => sum + each.alarms.length, 0);
    const figure = `${first} of ${scores.filter(({ verdict }) => verdict !== 'not playable').length} named first, ${alarms} false alarms on ${healthy.length} healthy sites`;
    return { cases: tally.cases(), failures: tally.failures, figure };
  },
};
