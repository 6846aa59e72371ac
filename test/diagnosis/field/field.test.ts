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
  const scored: ScoredCase[] = [];
  for (const each of FIELD_CASES) scored.push(await scoreCase(each));
  const failures = listFailures(scored);
  const board = renderFieldScores({ 'Collected cases': scored });
  expect(recordFieldScores(board), failures.join('\n')).toBe(board);
  const verdicts = scored.map(({ plays }) => getWorstVerdict(plays));
  expect(verdicts.filter((verdict) => verdict === 'first').length, failures.join('\n')).toBeGreaterThanOrEqual(20);
  expect(
    verdicts.filter((verdict) => verdict === 'falsely accused'),
    failures.join('\n'),
  ).toEqual([]);
});
