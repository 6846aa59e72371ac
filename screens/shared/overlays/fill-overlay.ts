import { catalogue } from '../../../src/i18n/catalogue.ts';
import type { Binding } from '../../../src/rows/bindings.ts';
import { createRow, EMPTY_ROW, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import { createSelectRows, type SelectItem } from '../../../src/rows/select.ts';
import { createParagraphRows } from '../../../src/rows/text.ts';
import {
  FILL_KINDS,
  type FillKind,
  fillDown,
  listFillTargets,
  type NodeDraft,
  readNodeDrafts,
} from '../../../src/wizard/design/node-table.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { createListBindings, createOverlayUndoBindings } from '../bindings.ts';

const words = () => catalogue().screens.nodes.fill;
const keys = () => catalogue().screens.keys;

type FillState = Extract<Overlay, { kind: 'fill' }>;

/** Returns the keys of the fill-down overlay. Enter is disabled where there is nothing to fill. */
export function createFillBindings(state: WizardState, { choice, isForAllRoles }: FillState): Binding<Intent>[] {
  const fill = FILL_KINDS[choice] ?? 'ip';
  const canFill = fillDown(state.document, state.nodes.row, fill, isForAllRoles) !== null;
  return [
    {
      keys: ['enter'],
      label: keys().fillDown,
      intent: { type: 'node/fill' },
      ...(canFill ? {} : { disabledReason: getMissingTargetReason(state, isForAllRoles) ?? words().nothing }),
    },
    ...createListBindings({
      label: keys().row,
      toIntent: (by): Intent => ({ type: 'node/fill-move', by }),
      hasTab: true,
    }),
    {
      keys: ['right', 'left'],
      label: isForAllRoles ? words().sameRole : words().otherRoles,
      intent: { type: 'node/fill-across' },
    },
    { keys: ['escape'], label: keys().back, intent: { type: 'overlay/close' } },
    ...createOverlayUndoBindings({ isTyping: false }),
  ];
}

/**
 * Returns the rows of the fill-down overlay, which replaces the table: each column that can be filled from the selected
 * node, with its result.
 *
 *     Fill down from w1 into the compute nodes below it
 *
 *       Names                   w2 to w3
 *     ▸ Addresses               172.16.0.32 to 172.16.0.33
 *       MAC addresses           no number to count up from
 *       Sizes and install disk  2 vCPU, 8 GiB, disk 120 GiB
 */
export function fillRows(state: WizardState, { choice, isForAllRoles }: FillState, viewport: Viewport): PageRow[] {
  const node = readNodeDrafts(state.document)[state.nodes.row];
  const name = String(node?.name ?? '');
  const title = isForAllRoles ? words().titleAcross(name) : words().title(name, String(node?.role ?? ''));
  const items = FILL_KINDS.map((fill) => createFillItem(state, fill, isForAllRoles));
  return [
    createRow(title, 'text', true),
    EMPTY_ROW,
    ...createSelectRows(items, choice, { ...viewport, rows: FILL_KINDS.length + 2 }),
    EMPTY_ROW,
    ...createParagraphRows(getMissingTargetReason(state, isForAllRoles) ?? words().explanation, viewport, {
      tone: 'muted',
      height: 5,
    }),
  ];
}

/** Creates the list item of a column to fill down, with its result. */
export function createFillItem(state: WizardState, fill: FillKind, isForAllRoles: boolean): SelectItem {
  const result = fillDown(state.document, state.nodes.row, fill, isForAllRoles);
  const targets = listFillTargets(readNodeDrafts(state.document), state.nodes.row, isForAllRoles);
  const firstNode = result?.nodes[targets[0] ?? -1];
  const lastNode = result?.nodes[targets[(result?.count ?? 0) - 1] ?? -1];
  const hint =
    firstNode && lastNode ? describeResult(fill, firstNode, lastNode) : targets.length > 0 ? words().nothing : '';
  return { value: fill, label: words().labels[fill], hint };
}

function describeResult(fill: FillKind, firstNode: NodeDraft, lastNode: NodeDraft): string {
  const formatValue = (node: NodeDraft, key: string) => [node[key] ?? ''].flat().join(', ');
  if (fill === 'sizes')
    return words().copied(
      formatValue(firstNode, 'vcpu'),
      formatValue(firstNode, 'memoryGiB'),
      formatValue(firstNode, 'diskGiB'),
    );
  return words().range(formatValue(firstNode, fill), formatValue(lastNode, fill));
}

/** Returns the reason why no node can be filled; null if there is one. */
function getMissingTargetReason(state: WizardState, isForAllRoles: boolean): string | null {
  const targets = listFillTargets(readNodeDrafts(state.document), state.nodes.row, isForAllRoles);
  return targets.length > 0 ? null : isForAllRoles ? words().noneBelow : words().noTargets;
}
