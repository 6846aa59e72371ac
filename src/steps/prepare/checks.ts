import type { Finding } from '../../diagnosis/finding.ts';
import { PREPARE, PREPARE_LATER } from '../../diagnosis/prepare/index.ts';
import { LATER_CHECKS, PREPARE_CHECKS } from '../../diagnosis/prepare/items.ts';
import { judge, type Rule } from '../../diagnosis/rule.ts';
import { catalogue } from '../../text/catalogue.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { isInstalled } from '../shared/machines/later-nodes.ts';
import { evidenceOf, gather } from './facts.ts';
import { gatherForLater, laterEvidence } from './later.ts';

/** What Prepare finds of what it makes, a check for each of its rules: the same evidence, judged by the same rules. */
export async function prepareChecks(
  context: StepContext,
  only: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  // For a cluster that runs, nobody makes its files again: what is left is what nodes need that join it.
  if (!isInstalled(context))
    return await checksOf(PREPARE, PREPARE_CHECKS, only, context, async () =>
      evidenceOf(context, await gather(context)),
    );
  return await checksOf(PREPARE_LATER, LATER_CHECKS, only, context, async () => {
    const facts = await gatherForLater(context);
    return facts.waiting === 0 ? null : laterEvidence(context, facts);
  });
}

/** @param see the evidence; null: nobody needs any of it */
async function checksOf<Evidence>(
  all: readonly Rule<Evidence>[],
  items: Readonly<Partial<Record<Item, readonly string[]>>>,
  only: readonly string[] | undefined,
  { signal }: Pick<StepContext, 'signal'>,
  see: () => Promise<Evidence | null>,
): Promise<readonly Finding[]> {
  const rules = all.filter(({ code }) => only === undefined || only.includes(code));
  if (rules.length === 0) return [];
  const passed = (code: string, state: 'ok' | 'unknown', cause: string): Finding => {
    const { right, title } = catalogue().diagnosis.prepare.checks;
    const about = ITEMS.find((id) => items[id]?.includes(code));
    const name = about === undefined ? code : catalogue().screens.prepare.items[about];
    return { code, state, severity: 'note', subject: null, title: title(name, right), cause, whatToDo: '' };
  };
  try {
    const evidence = await see();
    if (evidence === null) return [];
    return rules.flatMap((rule) => {
      const found = judge([rule], evidence);
      return found.length > 0 ? found : [passed(rule.code, 'ok', '')];
    });
  } catch (error) {
    signal.throwIfAborted();
    const { title, cause } = asTrouble(error);
    return rules.map(({ code }) => passed(code, 'unknown', `${title}: ${cause}`));
  }
}

const ITEMS = ['installer', 'images', 'directory', 'expiry', 'worker-ignition', 'server'] as const;
type Item = (typeof ITEMS)[number];
