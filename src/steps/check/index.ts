import type { RhcosImages } from '../../artifacts/boot/images.ts';
import { GENERATORS } from '../../artifacts/kinds.ts';
import type { CheckPhase, Finding } from '../../checks/check.ts';
import { MACHINE_CODES } from '../../checks/machine/checks.ts';
import { JOIN_PREPARE_RULES, PREPARE_RULES } from '../../checks/prepare/checks.ts';
import { CONFIG_KINDS, type ExpectedSite } from '../../checks/site/expected-site.ts';
import { SITE_CHECKS, type SiteCode, toSiteFinding } from '../../checks/site/index.ts';
import type { QueryVerdict, SiteCheck } from '../../checks/site/query.ts';
import { STAGES } from '../../design/choices.ts';
import type { Design } from '../../design/model.ts';
import { listLocalAddresses } from '../../host/machine.ts';
import type { StepContext } from '../contract.ts';
import { getLiveStage } from '../shared/hosts/live-stage.ts';
import { listImageFiles, resolveImageNames } from '../shared/installer/images.ts';
import { deriveExpectedSite } from './expected-site.ts';
import { getFileSize } from './images.ts';
import { type CheckContext, collectRegistries, createProbes } from './site-probes.ts';

type PlannedConfig = ExpectedSite['hosts'][number]['configs'][number];

/** The service configurations contain no credentials. */
const CREDENTIALS = { pullSecret: null, sshKey: null, trustBundle: null };

/**
 * Generates the configuration files of each host's services, by the host's name; a file that differs between stages has
 * several texts.
 */
export function generateConfigs(
  design: Design,
  images: RhcosImages,
): Readonly<Partial<Record<string, readonly PlannedConfig[]>>> {
  const found = new Map<string, Map<string, { kind: PlannedConfig['kind']; texts: Set<string> }>>();
  for (const stage of STAGES)
    for (const { kind, files } of GENERATORS) {
      const configKind = CONFIG_KINDS.find((each) => each === kind);
      if (configKind === undefined) continue;
      for (const { host, path, content } of files({
        design,
        stage,
        credentials: CREDENTIALS,
        images,
        previous: null,
      })) {
        if (host === null) continue;
        const hostConfigs =
          found.get(host.name) ?? new Map<string, { kind: PlannedConfig['kind']; texts: Set<string> }>();
        const { texts } = hostConfigs.get(path) ?? { texts: new Set<string>() };
        found.set(host.name, hostConfigs.set(path, { kind: configKind, texts: texts.add(content) }));
      }
    }
  const configs = [...found].map(([host, hostConfigs]): [string, readonly PlannedConfig[]] => [
    host,
    [...hostConfigs].map(([path, { kind, texts }]) => ({ kind, path, planned: [...texts] })),
  ]);
  return Object.fromEntries(configs);
}

export { type CheckContext, createProbes } from './site-probes.ts';

/** Concurrent queries: fast for a site with many nodes, and no server gets all of them at once. */
const MAX_CONCURRENT = 32;

/** A finding of a check, with the phase of the check. */
export interface CheckFinding {
  readonly phase: CheckPhase;
  readonly finding: Finding;
  /** HTTP status, if a server answered with another one than 200. */
  readonly status?: number;
}

/** Selection of checks; a missing property selects all. */
export interface CheckSelection {
  readonly phase?: CheckPhase;
  readonly only?: readonly string[];
}

/** Lists the ids of all checks: of this machine, of the Prepare step, and of the site. */
export function listCheckIds(): readonly string[] {
  const prepareCodes = [...PREPARE_RULES, ...JOIN_PREPARE_RULES].map(({ code }) => code);
  return [...MACHINE_CODES, ...new Set(prepareCodes), ...SITE_CHECKS.map(({ code }) => code)];
}

/**
 * Derives the expected site from the design, in the stage that was generated last and with the image names that the
 * installer knows.
 */
export async function loadExpectedSite(
  context: Pick<StepContext, 'design' | 'dir' | 'programPath' | 'imagesDir' | 'credentials' | 'stepState'>,
): Promise<ExpectedSite> {
  const { design, dir, imagesDir } = context;
  const images = await resolveImageNames(context);
  const sizes = await Promise.all(
    listImageFiles(images).map(async (file) => [file, await getFileSize(imagesDir, file)] as const),
  );
  return deriveExpectedSite(design, images, {
    stage: getLiveStage(context),
    addresses: listLocalAddresses(),
    dir,
    imagesDir,
    sizes: Object.fromEntries(sizes),
    registries: await collectRegistries(context),
    configs: generateConfigs(design, images),
  });
}

function selectChecks({ phase, only }: CheckSelection): readonly SiteCheck<SiteCode>[] {
  return SITE_CHECKS.filter(
    (each) => (phase === undefined || each.phase === phase) && (only === undefined || only.includes(each.code)),
  );
}

/**
 * Sends the queries of the checks to the site and evaluates the answers. Identical queries are sent once. Changes
 * nothing.
 * @throws the reason of the signal when it is aborted
 */
export async function checkSite(
  context: CheckContext,
  site: ExpectedSite,
  selection: CheckSelection = {},
): Promise<readonly CheckFinding[]> {
  const queries = selectChecks(selection).flatMap((each) =>
    each.listQueries(site).map((ask) => ({ check: each, ask })),
  );
  const probes = createProbes(context);
  const remaining = [...queries.keys()];
  const verdicts: QueryVerdict[] = [];
  const work = async () => {
    for (let index = remaining.shift(); index !== undefined; index = remaining.shift()) {
      context.signal.throwIfAborted();
      const each = queries[index];
      if (each !== undefined) verdicts[index] = await each.ask.run(probes);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  return queries.map(({ check, ask }, index) => {
    const { status, ...verdict } = verdicts[index] ?? { state: 'unknown', detail: '' };
    const finding = toSiteFinding(check, ask, verdict);
    return { phase: check.phase, finding, ...(status === undefined ? {} : { status }) };
  });
}
