import { expect, test } from 'vitest';
import { FIELD_CASES } from './cases/index.ts';
import { classifyEvidence } from './classifiers/index.ts';
import type { FieldCase } from './field-case.ts';
import { getWorstVerdict, playCase } from './score.ts';
import { recordFieldScores, renderFieldScores, type ScoredCase } from './scoreboard.ts';

async function scoreCase(fieldCase: FieldCase): Promise<ScoredCase> {
  return { fieldCase, plays: await playCase(fieldCase), others: classifyEvidence(fieldCase.evidence) };
}

/** Plays in which the cause is not first, each as a line with its findings. */
const listFailures = (scored: readonly ScoredCase[]) =>
  scored.flatMap(({ fieldCase: { id, expected }, plays }) =>
    plays
      .filter(({ verdict }) => verdict !== 'first')
      .map(({ form, verdict, findings }) => {
        const found = findings.map(
          ({ rule, likelihood, symptom }) => `${rule} ${likelihood}: ${symptom.slice(0, 150)}`,
        );
        return `${id} ${form}: ${verdict}; expected ${expected.join(' or ') || 'nothing'}, found\n  ${found.join('\n  ')}`;
      }),
  );

test('the causes of real failures come first, and no other is accused; the scoreboard shows this run', async () => {
  const groups: Record<string, ScoredCase[]> = {};
  for (const [title, cases] of Object.entries(FIELD_CASES)) {
    groups[title] = [];
    for (const each of cases) groups[title].push(await scoreCase(each));
  }
  const scored = Object.values(groups).flat();
  const failures = listFailures(scored).join('\n');
  const board = renderFieldScores(groups);
  expect(recordFieldScores(board), failures).toBe(board);
  for (const own of Object.values(groups)) {
    const verdicts = own.map(({ plays }) => getWorstVerdict(plays));
    const first = verdicts.filter((verdict) => verdict === 'first').length;
    expect(first / own.length, failures).toBeGreaterThanOrEqual(20 / 22);
    expect(verdicts, failures).not.toContain('falsely accused');
  }
});
