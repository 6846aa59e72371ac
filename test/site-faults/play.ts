import { expect } from 'vitest';
import { getUptime } from '../../src/platform/clock.ts';
import { openRealSite, type RealSite, type SiteFinding } from '../support/real-site.ts';
import { type HealthyVariant, listFailed, type SiteFault, scoreCheck, scoreDiagnosis } from './fault.ts';
import { compareScores, isAsRecorded, isPlayed, isSelected, type ScoreRow, showPlay } from './scoreboard.ts';

const describeFirst = ([first]: readonly SiteFinding[]) =>
  first === undefined ? '' : `${first.id} ${first.subject ?? ''}`.trim();

/** Plants each fault on one site, scores `check` and, where the fault says so, `diagnose`, and compares the scores. */
export async function playFaults(part: string, title: string, faults: readonly SiteFault[]): Promise<void> {
  const site = await openRealSite();
  const rows: ScoreRow[] = [];
  for (const fault of faults.filter(({ id }, index) => isPlayed(id, index))) {
    let row = await playFault(site, fault);
    if (!isAsRecorded(part, row)) row = await playFault(site, fault);
    rows.push(row);
  }
  expect(compareScores(part, title, rows)).toEqual([]);
  // The site is as it was: each fault was planted on a healthy one.
  expect(listFailed((await site.check()).findings)).toEqual([]);
}

async function playFault(site: RealSite, fault: SiteFault): Promise<ScoreRow> {
  const startedAt = getUptime();
  await fault.plant(site);
  const { findings, seconds } =
    fault.ask === undefined ? await site.check() : { findings: await fault.ask(site), seconds: 0 };
  const diagnosis = fault.diagnose === undefined ? null : await site.diagnose();
  await site.restore();
  const failed = listFailed(findings);
  const row = {
    id: fault.id,
    kind: String(fault.kind),
    title: fault.title,
    check: scoreCheck(fault, findings),
    diagnose: diagnosis && scoreDiagnosis(fault, diagnosis.findings),
    first: describeFirst(failed),
  };
  showPlay({ row, check: seconds, play: (getUptime() - startedAt) / 1000, failed, diagnosis });
  return row;
}

/** Checks sites that are different and right: those without options share one. */
export async function playHealthyVariants(
  part: string,
  title: string,
  variants: readonly HealthyVariant[],
): Promise<void> {
  const rows: ScoreRow[] = [];
  let shared: RealSite | null = null;
  for (const variant of variants.filter(({ id }) => isSelected(id))) {
    if (variant.options === undefined) shared ??= await openRealSite();
    const site = variant.options === undefined && shared !== null ? shared : await openRealSite(variant.options);
    let row = await playVariant(site, variant);
    if (!isAsRecorded(part, row)) row = await playVariant(site, variant);
    rows.push(row);
  }
  expect(compareScores(part, title, rows)).toEqual([]);
}

async function playVariant(site: RealSite, variant: HealthyVariant): Promise<ScoreRow> {
  const startedAt = getUptime();
  await variant.prepare?.(site);
  const { findings, seconds } = await site.check();
  const diagnosis = await site.diagnose();
  await site.restore();
  const failed = listFailed(findings);
  const row = {
    id: variant.id,
    kind: 'healthy',
    title: variant.title,
    check: failed.length === 0 ? ('OK' as const) : ('FALSE' as const),
    diagnose: diagnosis.findings.length === 0 ? ('OK' as const) : ('FALSE' as const),
    first: describeFirst(failed),
  };
  showPlay({ row, check: seconds, play: (getUptime() - startedAt) / 1000, failed, diagnosis });
  return row;
}
