import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Evidence, ObservedIgnition } from '../../checks/rules/evidence.ts';
import { getApiIntName, listNodesWithRole } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { checkPointerIgnition, parsePointerIgnition } from '../../installer/ignition.ts';
import { inspectInstallDir } from '../../installer/install-dir.ts';
import { SECOND } from '../../platform/clock.ts';
import { parsePullSecret } from '../../platform/secrets.ts';
import { probeTls } from '../../probes/tls-probe.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';

const words = () => catalogue().installer.pointer.unreadable;
const CONFIG_SERVER_TIMEOUT_MS = 5 * SECOND;

/**
 * Inspects the ignition files of the install directory, and whether the Machine Config Server belongs to the same
 * installation.
 */
export async function inspectIgnition(context: StepContext): Promise<ObservedIgnition> {
  const { design, dir } = context;
  const { expiresAt } = await inspectInstallDir(dir);
  const bootstrap = readIfExists(join(dir, 'bootstrap.ign'));
  const roles = listPointerRoles(design);
  const swappedFiles = roles.flatMap((role) => {
    const url = parsePointerIgnition(readIfExists(join(dir, `${role}.ign`)) ?? '')?.url ?? '';
    const isSwapped = roles.some((otherRole) => otherRole !== role && url === buildConfigUrl(context, otherRole));
    return isSwapped ? [{ role, url }] : [];
  });
  const problems = roles.flatMap((role) => {
    const text = readIfExists(join(dir, `${role}.ign`));
    const expectedUrl = buildConfigUrl(context, role);
    const pointerProblems =
      text === null ? [] : checkPointerIgnition(text, { role, expectedUrl, bootstrapIgnition: bootstrap });
    return pointerProblems.filter(
      ({ code }) => code !== 'ignition-wrong-url' || !swappedFiles.some((swappedFile) => swappedFile.role === role),
    );
  });
  const foreignProblems = problems.filter(
    ({ code }) => code === 'ignition-foreign-authority' || code === 'ignition-wrong-url',
  );
  const unusableFiles = [
    ...problems.filter(({ code }) => code === 'ignition-unreadable').map(({ cause }) => cause),
    ...(bootstrap !== null && !isJson(bootstrap) ? [words().cause('bootstrap')] : []),
  ];
  const swappedTexts = swappedFiles.map(({ role, url }) => `${role}.ign fetches ${url}`);
  return {
    swappedRoleFiles: swappedTexts,
    expiresAt,
    problems: foreignProblems.map(({ cause }) => cause),
    unusableFiles,
    server: await probeConfigServer(context),
  };
}

type PointerRole = 'master' | 'arbiter' | 'worker';

/** Lists the roles with a pointer file that the installer writes for this design; a single node has none. */
function listPointerRoles(design: Design): readonly PointerRole[] {
  if (listNodesWithRole(design, 'bootstrap').length === 0) return [];
  return listNodesWithRole(design, 'arbiter').length > 0 ? ['master', 'arbiter', 'worker'] : ['master', 'worker'];
}

function buildConfigUrl({ design }: StepContext, role: PointerRole): string {
  return `https://${getApiIntName(design)}:22623/config/${role}`;
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

function readIfExists(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Probes the Machine Config Server as a control plane node does: at api-int, trusting only the CA in master.ign. */
async function probeConfigServer({
  design,
  dir,
  resolveEndpoint,
  clock,
}: StepContext): Promise<ObservedIgnition['server']> {
  const text = readIfExists(join(dir, 'master.ign'));
  const pointer = text === null ? null : parsePointerIgnition(text);
  const server = design.endpoints.apiInt[0];
  if (pointer === null || server === undefined || !URL.canParse(pointer.url)) return null;
  const { origin } = new URL(pointer.url);
  const options = { server, authorities: pointer.authorities, timeoutMs: CONFIG_SERVER_TIMEOUT_MS };
  const { state } = await probeTls(resolveEndpoint, clock, `${origin}/healthz`, options);
  if (state === 'untrusted') return 'untrusted';
  return state === 'answered' ? 'answers' : 'silent';
}

/** Lists the registries and repositories that the pull secret has logins for; null if it cannot be read. */
export async function readPullSecretEntries(context: StepContext): Promise<Evidence['registries']> {
  const { pullSecret } = await readCredentials(context).catch(() => ({ pullSecret: null }));
  const logins = pullSecret === null ? null : parsePullSecret(pullSecret);
  return logins && [...logins.keys()];
}
