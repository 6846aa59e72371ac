import type { Finding } from '../../checks/check.ts';
import { findBlockingChecks } from '../../checks/prepare/gate.ts';
import { type PhaseResults, summarizeBlockingChecks } from '../../checks/prepare/items.ts';

import { UserErrorException } from '../../i18n/user-error.ts';
import type { StepContext } from '../contract.ts';
import { readPowerOnTimes } from '../shared/machines/node-facts.ts';
import { overrideFailedChecks, readOverrides } from '../shared/overrides.ts';
import { readSitePhases } from './site-checks.ts';

/**
 * Lists the failed checks that block Prepare. None once a machine was powered on: its results are outdated then.
 * @param isServed whether everything that machines boot with is created and served
 */
export function listBlockingChecks(
  context: StepContext,
  phases: readonly PhaseResults[],
  isServed: boolean,
): readonly Finding[] {
  if (Object.keys(readPowerOnTimes(context)).length > 0) return [];
  return findBlockingChecks(phases, readOverrides(context), isServed);
}

/** @throws UserErrorException `site-checks` while a blocking check has failed that is not overridden */
export async function assertNotBlocked(context: StepContext): Promise<void> {
  const [first] = summarizeBlockingChecks(listBlockingChecks(context, await readSitePhases(context), false));
  if (first !== undefined) throw new UserErrorException(first);
}

/**
 * Overrides the blocking checks that have failed now, and no others. The session and the report keep the user's reason.
 * @throws UserErrorException `override-reason` if the text is no valid reason
 */
export async function overrideBlockingChecks(
  context: StepContext,
  reason: string,
  isServed: boolean,
  report: (line: string) => void,
): Promise<void> {
  const findFailed = async () => listBlockingChecks(context, await readSitePhases(context), isServed);
  await overrideFailedChecks(context, reason, findFailed, report);
}
