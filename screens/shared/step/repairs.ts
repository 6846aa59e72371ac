import type { StepId } from '../../../src/steps/contract.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { StepRun } from '../../../src/wizard/live/step-run.ts';

const keys = () => catalogue().screens.keys;

/** Steps that may stay incomplete: without a node, or with a degraded operator, there is still a cluster. */
const CAN_BE_LEFT: ReadonlySet<StepId> = new Set(['certificates', 'operators', 'infra']);

/** Keys for findings: to the answer to correct, and past a step that does not reach its end. */
export function repairBindings(
  id: StepId,
  { probe, phase }: StepRun,
  nodes: readonly Record<string, unknown>[],
): Binding<Intent>[] {
  const fatal = probe?.findings.filter(({ severity }) => severity === 'fatal') ?? [];
  const found = fatal.find(({ subject }) => subject !== null && nodes.some(({ name }) => name === subject));
  const index = nodes.findIndex(({ name }) => name === found?.subject);
  const bindings: Binding<Intent>[] = [];
  if (found && index >= 0) {
    bindings.push({
      keys: [LETTERS.edit],
      label: keys().toNode(found.subject ?? ''),
      intent: {
        type: 'screen/go',
        screen: 'nodes',
        field: `nodes.${index}.mac`,
        notice: { kind: 'warning', text: found.title },
      },
    });
  }
  if (CAN_BE_LEFT.has(id) && fatal.length > 0 && phase !== 'done') {
    bindings.push({ keys: [LETTERS.goOn], label: keys().goOn, intent: { type: 'screen/next' } });
  }
  return bindings;
}
