import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tlsProbe } from '../../bastion/probes/probes.ts';
import { apiIntName, nodesWithRole } from '../../design/names.ts';
import type { Evidence, IgnitionSeen } from '../../diagnosis/causes/evidence.ts';
import { pointerProblems, readPointer } from '../../installer/ignition.ts';
import { inspectInstallDir } from '../../installer/install-dir.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { loginsIn } from '../../text/pull-secret.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';

const words = () => catalogue().installer.pointer.unreadable;
const TIMEOUT = 5 * SECOND;

/** The ignition files of this directory, and whether the machine config server is of the same installation. */
export async function ignitionSeen(context: StepContext): Promise<IgnitionSeen> {
  const { design, dir } = context;
  const { expiresAt } = await inspectInstallDir(dir);
  const bootstrap = textOf(join(dir, 'bootstrap.ign'));
  const roles = nodesWithRole(design, 'bootstrap').length > 0 ? (['master', 'worker'] as const) : [];
  const swapped = roles.flatMap((role) => {
    const url = readPointer(textOf(join(dir, `${role}.ign`)) ?? '')?.url ?? '';
    const isOther = roles.some((other) => other !== role && url === configUrl(context, other));
    return isOther ? [{ role, url }] : [];
  });
  const problems = roles.flatMap((role) => {
    const text = textOf(join(dir, `${role}.ign`));
    const expectedUrl = configUrl(context, role);
    const all = text === null ? [] : pointerProblems(text, { role, expectedUrl, bootstrapIgnition: bootstrap });
    return all.filter(({ code }) => code !== 'ignition-wrong-url' || !swapped.some((each) => each.role === role));
  });
  const foreign = problems.filter(({ code }) => code === 'ignition-foreign-authority' || code === 'ignition-wrong-url');
  const unusable = [
    ...problems.filter(({ code }) => code === 'ignition-unreadable').map(({ cause }) => cause),
    ...(bootstrap !== null && !isJson(bootstrap) ? [words().cause('bootstrap')] : []),
  ];
  const otherRole = swapped.map(({ role, url }) => `${role}.ign fetches ${url}`);
  return {
    otherRole,
    expiresAt,
    problems: foreign.map(({ cause }) => cause),
    unusable,
    server: await askServer(context),
  };
}

function configUrl({ design }: StepContext, role: 'master' | 'worker'): string {
  return `https://${apiIntName(design)}:22623/config/${role}`;
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** As a control plane node does: at api-int, trusting the authority in master.ign only. */
async function askServer({ design, dir, reach, clock }: StepContext): Promise<IgnitionSeen['server']> {
  const text = textOf(join(dir, 'master.ign'));
  const pointer = text === null ? null : readPointer(text);
  const server = design.endpoints.apiInt[0];
  if (pointer === null || server === undefined || !URL.canParse(pointer.url)) return null;
  const { origin } = new URL(pointer.url);
  const asked = { server, authorities: pointer.authorities, timeoutMs: TIMEOUT };
  const { state } = await tlsProbe(reach, clock, `${origin}/healthz`, asked);
  if (state === 'untrusted') return 'untrusted';
  return state === 'answered' ? 'answers' : 'silent';
}

/** The registries that the pull secret has logins for; null where it cannot be read. */
export async function registriesSeen(context: StepContext): Promise<Evidence['registries']> {
  const { pullSecret } = await readCredentials(context).catch(() => ({ pullSecret: null }));
  const logins = pullSecret === null ? null : loginsIn(pullSecret);
  return logins && [...logins.keys()];
}
