import { ownAddresses } from '../../bastion/machine/facts.ts';
import type { Finding, Phase } from '../../diagnosis/finding.ts';
import { MACHINE_CODES } from '../../diagnosis/machine/index.ts';
import { PREPARE, PREPARE_LATER } from '../../diagnosis/prepare/index.ts';
import { SITE_CHECKS, type SiteCode, siteFinding } from '../../diagnosis/site/index.ts';
import type { SiteCheck, Verdict } from '../../diagnosis/site/question.ts';
import type { Site } from '../../diagnosis/site/site.ts';
import type { StepContext } from '../contract.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { imageFiles, imageNames } from '../shared/installer/images.ts';
import { askersOf, type Place } from './ask.ts';
import { configsOf } from './configs.ts';
import { sizeOf } from './images.ts';
import { registriesOf } from './registries.ts';
import { siteOf } from './site.ts';

export { askersOf, type Place } from './ask.ts';

/** Questions at a time: a site of many nodes is asked quickly, and no server at once by all. */
const AT_ONCE = 32;

/** What a check found, and when the check is made. */
export interface Checked {
  readonly phase: Phase;
  readonly finding: Finding;
  /** Of HTTP, where a server answered with another one than 200. */
  readonly status?: number;
}

/** Which checks are made; left out: all. */
export interface Choice {
  readonly phase?: Phase;
  readonly only?: readonly string[];
}

/** The ids of all checks: of this machine, of what Prepare makes, and of the site. */
export function checkIds(): readonly string[] {
  const made = [...PREPARE, ...PREPARE_LATER].map(({ code }) => code);
  return [...MACHINE_CODES, ...new Set(made), ...SITE_CHECKS.map(({ code }) => code)];
}

/** What the design makes of its site in the stage that was generated last; the images by the names that the installer knows. */
export async function siteOfDesign(
  context: Pick<StepContext, 'design' | 'dir' | 'programPath' | 'imagesDir' | 'credentials' | 'memory'>,
): Promise<Site> {
  const { design, dir, imagesDir } = context;
  const images = await imageNames(context);
  const sizes = await Promise.all(
    imageFiles(images).map(async (file) => [file, await sizeOf(imagesDir, file)] as const),
  );
  return siteOf(design, images, {
    stage: liveStage(context),
    addresses: ownAddresses(),
    dir,
    imagesDir,
    sizes: Object.fromEntries(sizes),
    registries: await registriesOf(context),
    configs: configsOf(design, images),
  });
}

/** The checks of a choice. */
function chosenChecks({ phase, only }: Choice): readonly SiteCheck<SiteCode>[] {
  return SITE_CHECKS.filter(
    (each) => (phase === undefined || each.phase === phase) && (only === undefined || only.includes(each.code)),
  );
}

/**
 * Asks the site what the checks want to know, and judges the answers. The same question is asked once. Changes nothing.
 * @throws the reason of the signal when it is aborted
 */
export async function checkSite(where: Place, site: Site, choice: Choice = {}): Promise<readonly Checked[]> {
  const asked = chosenChecks(choice).flatMap((each) => each.asks(site).map((ask) => ({ check: each, ask })));
  const askers = askersOf(where);
  const open = [...asked.keys()];
  const verdicts: Verdict[] = [];
  const work = async () => {
    for (let index = open.shift(); index !== undefined; index = open.shift()) {
      where.signal.throwIfAborted();
      const each = asked[index];
      if (each !== undefined) verdicts[index] = await each.ask.put(askers);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return asked.map(({ check, ask }, index) => {
    const { status, ...verdict } = verdicts[index] ?? { state: 'unknown', detail: '' };
    const finding = siteFinding(check, ask, verdict);
    return { phase: check.phase, finding, ...(status === undefined ? {} : { status }) };
  });
}
