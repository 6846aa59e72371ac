import type { Finding } from '../../diagnosis/finding.ts';
import { PREPARE } from '../../diagnosis/prepare/index.ts';
import { PREPARE_CHECKS } from '../../diagnosis/prepare/items.ts';
import { judge } from '../../diagnosis/rule.ts';
import { catalogue } from '../../text/catalogue.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { isInstalled } from '../shared/machines/later-nodes.ts';
import { evidenceOf, gather } from './facts.ts';

/** What Prepare finds of what it makes, a check for each of its rules: the same evidence, judged by the same rules. */
export async function prepareChecks(
  context: StepContext,
  only: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  const rules = PREPARE.filter(({ code }) => only === undefined || only.includes(code));
  // For a cluster that runs, nobody makes any of it again.
  if (rules.length === 0 || isInstalled(context)) return [];
  try {
    const evidence = evidenceOf(context, await gather(context));
    return rules.flatMap((rule) => {
      const found = judge([rule], evidence);
      return found.length > 0 ? found : [passed(rule.code, 'ok', '')];
    });
  } catch (error) {
    context.signal.throwIfAborted();
    const { title, cause } = asTrouble(error);
    return rules.map(({ code }) => passed(code, 'unknown', `${title}: ${cause}`));
  }
}

function passed(code: string, state: 'ok' | 'unknown', cause: string): Finding {
  const { items } = catalogue().screens.prepare;
  const { right, title } = catalogue().diagnosis.prepare.checks;
  const about = (Object.keys(PREPARE_CHECKS) as (keyof typeof PREPARE_CHECKS)[]).find((id) =>
    PREPARE_CHECKS[id].some((each) => each === code),
  );
  const name = about === undefined ? code : items[about];
  return { code, state, severity: 'note', subject: null, title: title(name, right), cause, whatToDo: '' };
}
