import { formatRemainingTime } from '../../../checks/prepare/items.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { inspectInstallDir } from '../../../installer/install-dir.ts';
import type { StepContext } from '../../contract.ts';

/**
 * Describes how long the ignition files remain valid, for the steps in which machines still boot with them; null if
 * there are none. The installer's certificates are valid for 24 hours.
 */
export async function describeIgnitionLifetime(context: StepContext): Promise<string | null> {
  const { expiresAt } = await inspectInstallDir(context.dir);
  if (expiresAt === null) return null;
  const remaining = expiresAt - context.clock.now();
  return remaining > 0
    ? catalogue().steps.prepare.expiresIn(formatRemainingTime(remaining))
    : catalogue().steps.prepare.expired;
}
