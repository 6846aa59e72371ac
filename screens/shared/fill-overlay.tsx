import { catalogue } from '../../src/text/catalogue.ts';
import { Gap, Label, Row } from '../../src/ui/components/label.tsx';
import { Select, type SelectItem } from '../../src/ui/components/select.tsx';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { FILLS, type Fill, fillDown, fillTargets, type TypedNode } from '../../src/wizard/node-table.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { documentNodes } from '../../src/wizard/update-nodes.ts';
import { Paragraph } from './text.tsx';

const words = () => catalogue().screens.nodes.fill;
const keys = () => catalogue().screens.keys;

/** @param choice the selected kind */
export function fillBindings(state: WizardState, choice: number): Binding<Intent>[] {
  const fill = FILLS[choice] ?? 'ip';
  const isPossible = fillDown(state.document, state.nodes.row, fill) !== null;
  return [
    {
      keys: ['enter'],
      label: keys().fillDown,
      intent: { type: 'node/fill' },
      ...(isPossible ? {} : { disabled: reasonFor(state) }),
    },
    { keys: ['up', 'shift-tab'], label: keys().row, intent: { type: 'node/fill-move', by: -1 } },
    { keys: ['down', 'tab'], label: keys().row, intent: { type: 'node/fill-move', by: 1 }, hidden: true },
    { keys: ['escape'], label: keys().back, intent: { type: 'overlay/close' } },
  ];
}

/**
 * What to fill down from the selected node, and the result, in place of the table.
 *
 *     Fill down from w1
 *
 *       Names                   w2 to w3
 *     ▸ Addresses               172.16.0.32 to 172.16.0.33
 *       MAC addresses           nothing to count from
 *       Sizes and install disk  2 vCPU, 8 GiB, disk 120 GiB
 */
export function FillOverlay({ state, choice }: { readonly state: WizardState; readonly choice: number }) {
  const node = documentNodes(state)[state.nodes.row];
  return (
    <>
      <Row>
        <Label isBold>{words().title(String(node?.name ?? ''))}</Label>
      </Row>
      <Gap />
      <Select items={FILLS.map((fill) => item(state, fill))} index={choice} rows={FILLS.length} />
      <Gap />
      <Paragraph text={words().why} tone="dim" height={4} />
    </>
  );
}

function item(state: WizardState, fill: Fill): SelectItem {
  const result = fillDown(state.document, state.nodes.row, fill);
  const targets = fillTargets(documentNodes(state), state.nodes.row);
  const first = result?.nodes[targets[0] ?? -1];
  const last = result?.nodes[targets[(result?.count ?? 0) - 1] ?? -1];
  const hint = first && last ? resultOf(fill, first, last) : reasonFor(state);
  return { value: fill, label: words().labels[fill], hint };
}

function resultOf(fill: Fill, first: TypedNode, last: TypedNode): string {
  const text = (node: TypedNode, key: string) => [node[key] ?? ''].flat().join(', ');
  if (fill === 'sizes') return words().copied(text(first, 'vcpu'), text(first, 'memoryGiB'), text(first, 'diskGiB'));
  return words().range(text(first, fill), text(last, fill));
}

function reasonFor(state: WizardState): string {
  const targets = fillTargets(documentNodes(state), state.nodes.row);
  return targets.length === 0 ? words().noTargets : words().nothing;
}
