import { lifeOf } from '../../../diagnosis/prepare/expiry.ts';
import { inspectInstallDir } from '../../../installer/install-dir.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { StepContext } from '../../contract.ts';

/**
 * How long the ignition files remain valid, for the steps in which machines still boot with them; null where there are
 * none. The installer's certificates live 24 hours.
 */
export async function ignitionLife(context: StepContext): Promise<string | null> {
  const { expiresAt } = await inspectInstallDir(context.dir);
  if (expiresAt === null) return null;
  const left = expiresAt - context.clock.now();
  return left > 0 ? catalogue().steps.prepare.lasts(lifeOf(left)) : catalogue().steps.prepare.isOver;
}
