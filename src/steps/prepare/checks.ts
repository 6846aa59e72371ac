import type { Finding } from '../../diagnosis/finding.ts';
import type { LaterEvidence, PrepareEvidence } from '../../diagnosis/prepare/evidence.ts';
import { PREPARE, PREPARE_LATER } from '../../diagnosis/prepare/index.ts';
import { judge, type Rule } from '../../diagnosis/rule.ts';
import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { isInstalled } from '../shared/machines/later-nodes.ts';
import { evidenceOf, gather } from './facts.ts';
import { gatherForLater, laterEvidence } from './later.ts';

/** What a check looks at, by the code of its rule: what there is of it; null: nothing yet, so that nothing was looked at. */
type Needed<Evidence> = Readonly<Partial<Record<string, (evidence: Evidence) => string | null>>>;

const ALWAYS = () => '';
const program = (evidence: PrepareEvidence) => evidence.program;
const images = (evidence: PrepareEvidence) =>
  evidence.images.some(({ state }) => state !== 'missing') ? evidence.imagesDir : null;
const made = ({ dir, directory }: PrepareEvidence) => (directory.state === 'empty' ? null : dir);
const lasting = ({ directory: { expiresAt } }: PrepareEvidence) =>
  expiresAt === null ? null : new Date(expiresAt).toISOString();

const NEEDED: Needed<PrepareEvidence> = {
  'installer-missing': program,
  'installer-version': program,
  'installer-architecture': program,
  'installer-architecture-unknown': program,
  'images-wrong': images,
  'images-missing': ({ imagesDir }) => imagesDir,
  'images-unchecked': images,
  'install-config-changed': made,
  'install-dir-alive': made,
  'install-dir-used': made,
  'ignition-expired': lasting,
  'ignition-expires': lasting,
  'boot-files-missing': ({ server, bastionFiles }) => server && bastionFiles,
};

const NEEDED_LATER: Needed<LaterEvidence> = {
  'images-missing': ({ imagesDir }) => imagesDir,
  'images-older': ({ clusterVersion }) => clusterVersion,
};

/** What Prepare finds of what it makes, a check for each of its rules: the same evidence, judged by the same rules. */
export async function prepareChecks(
  context: StepContext,
  only: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  // For a cluster that runs, nobody makes its files again: what is left is what nodes need that join it.
  if (!isInstalled(context))
    return await checksOf(PREPARE, NEEDED, only, context, async () => evidenceOf(context, await gather(context)));
  return await checksOf(PREPARE_LATER, NEEDED_LATER, only, context, async () => {
    const facts = await gatherForLater(context);
    return facts.waiting === 0 ? null : laterEvidence(context, facts);
  });
}

/** @param see the evidence; null: nobody needs any of it */
async function checksOf<Evidence>(
  all: readonly Rule<Evidence>[],
  needed: Needed<Evidence>,
  only: readonly string[] | undefined,
  { signal }: Pick<StepContext, 'signal'>,
  see: () => Promise<Evidence | null>,
): Promise<readonly Finding[]> {
  const rules = all.filter(({ code }) => only === undefined || only.includes(code));
  if (rules.length === 0) return [];
  const { titles, notYet } = catalogue().diagnosis.prepare;
  const passed = (code: string, state: 'ok' | 'pending' | 'unknown', cause: string): Finding => ({
    code,
    state,
    severity: 'note',
    subject: null,
    title: entryOf(titles, code) ?? code,
    cause,
    whatToDo: '',
  });
  try {
    const evidence = await see();
    if (evidence === null) return [];
    return rules.flatMap((rule) => {
      const found = judge([rule], evidence);
      if (found.length > 0) return found;
      const seen = (entryOf(needed, rule.code) ?? ALWAYS)(evidence);
      return [seen === null ? passed(rule.code, 'pending', notYet) : passed(rule.code, 'ok', seen)];
    });
  } catch (error) {
    signal.throwIfAborted();
    const { title, cause } = asTrouble(error);
    return rules.map(({ code }) => passed(code, 'unknown', `${title}: ${cause}`));
  }
}
