import { listImageFiles } from '../../artifacts/boot/images.ts';
import { explainFindings } from '../../checks/causes/explain.ts';
import { addHostsToRemedy } from '../../checks/causes/locations.ts';
import { type CheckPhase, type Finding, toFinding } from '../../checks/check.ts';
import { MACHINE_CHECK_IDS } from '../../checks/machine/checks.ts';
import { JOIN_PREPARE_CHECKS, PREPARE_CHECKS } from '../../checks/prepare/checks.ts';
import { simulateFindingCommands } from '../../checks/rules/host-commands.ts';
import { SITE_CHECKS } from '../../checks/site/index.ts';
import type { SiteBmc, SiteCheckContext, SiteResult } from '../../checks/site/site.ts';
import { parseFencingFile, parseRedfishAddress } from '../../design/fencing.ts';
import type { ServiceHost } from '../../design/model.ts';
import { listLocalAddresses } from '../../host/local-machine.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';
import { getCurrentStage } from '../shared/hosts/current-stage.ts';
import { resolveImageNames } from '../shared/installer/images.ts';
import { readFileSize } from './images.ts';
import { createProbes, readPullSecretRegistries, type SiteProbeContext } from './site-probes.ts';

export { createProbes, type SiteProbeContext as CheckContext } from './site-probes.ts';

/** A finding of a check, with the phase of the check. */
export interface CheckFinding {
  readonly phase: CheckPhase;
  readonly finding: Finding;
}

/** Selection of checks; a missing property selects all. */
export interface CheckSelection {
  readonly phase?: CheckPhase;
  readonly only?: readonly string[];
  /** The only service host to check. */
  readonly host?: ServiceHost;
}

/** Lists the ids of all checks, or of those in a phase: of this machine, of the Prepare step, and of the site. */
export function listCheckIds(phase: CheckPhase | null = null): readonly string[] {
  const prepareIds = [...PREPARE_CHECKS, ...JOIN_PREPARE_CHECKS].map(({ id }) => id);
  return [
    ...(phase === null || phase === 'start' ? MACHINE_CHECK_IDS : []),
    ...(phase === null || phase === 'ignition' ? new Set(prepareIds) : []),
    ...SITE_CHECKS.filter((check) => phase === null || check.phase === phase).map(({ id }) => id),
  ];
}

/** The result of a check of the site, and its finding with texts; causes are not named yet. */
interface SiteFinding {
  readonly check: (typeof SITE_CHECKS)[number];
  readonly result: SiteResult;
  readonly finding: Finding;
}

type SiteContext = SiteProbeContext & Pick<StepContext, 'stepState'>;

/**
 * Creates the context of the site checks, with the stage that was generated last and the images that the installer
 * names.
 */
async function loadSiteCheckContext(context: SiteContext, onlyHost: ServiceHost | null): Promise<SiteCheckContext> {
  const { design, dir, imagesDir, credentials } = context;
  const images = await resolveImageNames(context);
  const sizes = await Promise.all(
    listImageFiles(images).map(async (file) => [file, await readFileSize(imagesDir, file)] as const),
  );
  return {
    ...{ design, dir, images, imagesDir, onlyHost },
    stage: getCurrentStage(context),
    imageSizes: Object.fromEntries(sizes),
    pullSecret: { file: credentials.pullSecretFile, registries: await readPullSecretRegistries(context) },
    bmcs: await readBmcs(context),
    localAddresses: listLocalAddresses(),
    probes: createProbes(context),
  };
}

/** Lists the BMCs in the file that the design names; empty if there is none that can be read. */
async function readBmcs(context: SiteContext): Promise<SiteBmc[]> {
  const { fencing } = await readCredentials(context).catch(() => ({ fencing: null }));
  if (fencing === null) return [];
  return parseFencingFile(fencing, context.design).credentials.flatMap(({ hostName, address, ...credential }) => {
    const endpoint = parseRedfishAddress(address);
    const isCertificateVerified = credential.certificateVerification === 'Enabled';
    const [node = hostName] = hostName.split('.');
    return endpoint === null ? [] : [{ node, host: endpoint.host, port: endpoint.port, isCertificateVerified }];
  });
}

/**
 * Runs the checks of the site. Identical queries are sent once. Changes nothing.
 * @throws the reason of the signal when it is aborted
 */
export async function collectSiteFindings(
  context: SiteContext,
  { phase, only, host }: CheckSelection,
): Promise<readonly SiteFinding[]> {
  const words = catalogue().diagnosis.site.checks;
  const simulatedDir = context.manualActions.canInstallHostFiles ? context.dir : null;
  const site = await loadSiteCheckContext(context, host ?? null);
  const checks = SITE_CHECKS.filter(
    (check) => (phase === undefined || check.phase === phase) && (only === undefined || only.includes(check.id)),
  );
  return await Promise.all(
    checks.flatMap((check) =>
      check.run(site).map(async (pendingResult): Promise<SiteFinding> => {
        const result = await pendingResult;
        const finding = toFinding(check, result, words[check.id]);
        const findingWithHosts = addHostsToRemedy(context.design, finding, simulatedDir);
        return {
          check,
          result,
          finding: simulateFindingCommands({ design: context.design, simulatedDir }, findingWithHosts),
        };
      }),
    ),
  );
}

/** Runs the checks of the site, with their texts. A failure names the failure that explains it. */
export async function checkSite(
  context: SiteContext,
  selection: CheckSelection = {},
): Promise<readonly CheckFinding[]> {
  const results = await collectSiteFindings(context, selection);
  const findings = results.map(({ finding }) => finding);
  return explainFindings(context.design, findings).flatMap((finding, index) => {
    const phase = results[index]?.check.phase;
    return phase === undefined ? [] : { phase, finding };
  });
}
