import { catalogue } from '../../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import type { StepId } from '../../../src/steps/contract.ts';
import type { Binding } from '../../../src/ui/keys.tsx';

import type { Intent } from '../../../src/wizard/intents.ts';
import type { StepRun } from '../../../src/wizard/live/step-run.ts';

const keys = () => catalogue().screens.keys;

/** Steps that may stay incomplete: a cluster works without one node, or with a degraded Operator. */
const MAY_STAY_INCOMPLETE: ReadonlySet<StepId> = new Set(['certificates', 'operators', 'infra']);

/** Keys for findings: open the answer to correct, or leave a step that cannot be completed. */
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
      keys: [SHORTCUTS.edit],
      label: keys().toNode(found.subject ?? ''),
      intent: {
        type: 'screen/go',
        screen: 'nodes',
        field: `nodes.${index}.mac`,
        notice: { kind: 'warning', text: found.title },
      },
    });
  }
  if (MAY_STAY_INCOMPLETE.has(id) && fatal.length > 0 && phase !== 'done') {
    bindings.push({ keys: [SHORTCUTS.nextScreen], label: keys().goOn, intent: { type: 'screen/next' } });
  }
  return bindings;
}
