import { catalogue } from '../../../src/text/catalogue.ts';
import { Gap, Label, Row } from '../../../src/ui/components/label.tsx';
import { Select, type SelectItem } from '../../../src/ui/components/select.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { FILLS, type Fill, fillDown, fillTargets, type TypedNode } from '../../../src/wizard/design/node-table.ts';
import { documentNodes } from '../../../src/wizard/design/update-nodes.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { listBindings, overlayUndo } from '../bindings.ts';
import { Paragraph } from '../text.tsx';

const words = () => catalogue().screens.nodes.fill;
const keys = () => catalogue().screens.keys;

type Filling = Extract<Overlay, { kind: 'fill' }>;

export function fillBindings(state: WizardState, { choice, isAcross }: Filling): Binding<Intent>[] {
  const fill = FILLS[choice] ?? 'ip';
  const isPossible = fillDown(state.document, state.nodes.row, fill, isAcross) !== null;
  return [
    {
      keys: ['enter'],
      label: keys().fillDown,
      intent: { type: 'node/fill' },
      ...(isPossible ? {} : { disabled: reasonFor(state, isAcross) }),
    },
    ...listBindings({
      label: keys().row,
      make: (by): Intent => ({ type: 'node/fill-move', by }),
      hasTab: true,
    }),
    {
      keys: ['right', 'left'],
      label: isAcross ? words().sameRole : words().otherRoles,
      intent: { type: 'node/fill-across' },
    },
    { keys: ['escape'], label: keys().back, intent: { type: 'overlay/close' } },
    ...overlayUndo({ isTyping: false }),
  ];
}

/**
 * What to fill down from the selected node, and the result, in place of the table.
 *
 *     Fill down from w1 into the compute nodes below it
 *
 *       Names                   w2 to w3
 *     ▸ Addresses               172.16.0.32 to 172.16.0.33
 *       MAC addresses           nothing to count from
 *       Sizes and install disk  2 vCPU, 8 GiB, disk 120 GiB
 */
export function FillOverlay({ state, filling }: { readonly state: WizardState; readonly filling: Filling }) {
  const { choice, isAcross } = filling;
  const node = documentNodes(state)[state.nodes.row];
  const name = String(node?.name ?? '');
  return (
    <>
      <Row>
        <Label isBold>{isAcross ? words().titleAcross(name) : words().title(name, String(node?.role ?? ''))}</Label>
      </Row>
      <Gap />
      <Select items={FILLS.map((fill) => fillItem(state, fill, isAcross))} index={choice} rows={FILLS.length} />
      <Gap />
      <Paragraph text={words().why} tone="dim" height={5} />
    </>
  );
}

/** A kind of filling, and what it would make. */
export function fillItem(state: WizardState, fill: Fill, isAcross: boolean): SelectItem {
  const result = fillDown(state.document, state.nodes.row, fill, isAcross);
  const targets = fillTargets(documentNodes(state), state.nodes.row, isAcross);
  const first = result?.nodes[targets[0] ?? -1];
  const last = result?.nodes[targets[(result?.count ?? 0) - 1] ?? -1];
  const hint = first && last ? resultOf(fill, first, last) : reasonFor(state, isAcross);
  return { value: fill, label: words().labels[fill], hint };
}

function resultOf(fill: Fill, first: TypedNode, last: TypedNode): string {
  const text = (node: TypedNode, key: string) => [node[key] ?? ''].flat().join(', ');
  if (fill === 'sizes') return words().copied(text(first, 'vcpu'), text(first, 'memoryGiB'), text(first, 'diskGiB'));
  return words().range(text(first, fill), text(last, fill));
}

function reasonFor(state: WizardState, isAcross: boolean): string {
  if (fillTargets(documentNodes(state), state.nodes.row, isAcross).length > 0) return words().nothing;
  return isAcross ? words().noneBelow : words().noTargets;
}
