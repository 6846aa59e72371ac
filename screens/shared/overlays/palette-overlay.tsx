import { catalogue } from '../../../src/text/catalogue.ts';
import { widthOf } from '../../../src/text/width.ts';
import { Gap, Label, Row } from '../../../src/ui/components/label.tsx';
import { Select } from '../../../src/ui/components/select.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import { type Binding, keyLabel } from '../../../src/ui/keys/keymap.ts';
import { useArea } from '../../../src/ui/look.tsx';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import { type Goal, matching, placesOf, selectedInRail } from '../../../src/wizard/overlays/palette.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { listBindings, overlayQuit, overlayUndo } from '../bindings.ts';

const words = () => catalogue().screens.palette;
const keys = () => catalogue().screens.keys;

type Open = Extract<Overlay, { kind: 'palette' }>;
/** The keys of the screen below, whose commands it offers too. */
type Commands = readonly Binding<Intent>[];

/** They move a cursor or open this: nothing to ask for by name. */
const NO_COMMAND = /^(?:row|log|palette|rail|field|choice)\/|\/(?:move|scroll)$|^screen\/back$/;

function commandGoals(commands: Commands): Goal[] {
  return commands.flatMap(({ keys: names, label, intent, disabled, hidden }) => {
    if (intent === null || disabled !== undefined || hidden || NO_COMMAND.test(intent.type)) return [];
    const key = names[0] ?? '';
    return [{ id: `key ${key}`, label, hint: words().command(keyLabel(key)), intent }];
  });
}

/** What the typed text leaves, the commands of the screen after what can be gone to. */
function goalsOf(state: WizardState, { editor }: Open, commands: Commands): Goal[] {
  return matching([...placesOf(state), ...commandGoals(commands)], editor.text);
}

export function paletteBindings(state: WizardState, open: Open, commands: Commands): Binding<Intent>[] {
  const goals = goalsOf(state, open, commands);
  const chosen = goals[open.choice];
  const move = (by: number): Intent => ({ type: 'palette/move', by, count: goals.length });
  const go: Binding<Intent> = { keys: ['enter'], label: keys().go, intent: null };
  return [
    chosen?.whyNot === undefined && chosen
      ? { ...go, intent: { type: 'palette/take', intent: chosen.intent } }
      : { ...go, disabled: chosen?.whyNot ?? words().none(open.editor.text) },
    ...listBindings({ label: keys().row, make: move, hasTab: true, isTyping: true }),
    { keys: ['escape'], label: keys().close, intent: { type: 'overlay/close' } },
    ...overlayUndo({ isTyping: true }).map((binding) => ({ ...binding, hidden: true })),
    ...overlayQuit(),
  ];
}

export function railBindings(state: WizardState): Binding<Intent>[] {
  const screen = selectedInRail(state);
  const close: Intent = { type: 'overlay/close' };
  const go: Intent | null = screen && { type: 'palette/take', intent: { type: 'screen/go', screen } };
  const move = (by: number): Intent => ({ type: 'rail/move', by });
  return [
    { keys: ['enter'], label: keys().go, intent: screen === state.screen ? close : go },
    ...listBindings({ label: keys().row, make: move, hasTab: true }),
    { keys: ['escape', 'ctrl-t', 'right'], label: keys().close, intent: close },
    ...overlayQuit(),
  ];
}

/**
 * Goes anywhere, or has something done, by a part of its name.
 *
 *     Go to: net
 *
 *     ▸ Networks           page
 *       Machine network    question on Networks
 */
export function PaletteOverlay({
  state,
  open,
  commands,
}: {
  readonly state: WizardState;
  readonly open: Open;
  readonly commands: Commands;
}) {
  const area = useArea();
  const goals = goalsOf(state, open, commands);
  const label = words().prompt;
  const whyNot = goals[open.choice]?.whyNot ?? '';
  return (
    <>
      <Row>
        <Label tone="focus">{label}</Label>
        <TextField state={open.editor} width={area.columns - widthOf(label)} isFocused />
      </Row>
      <Gap />
      {goals.length === 0 ? (
        <Row>
          <Label tone="dim">{words().none(open.editor.text)}</Label>
        </Row>
      ) : (
        <Select
          items={goals.map(({ id, label: name, hint }) => ({ value: id, label: name, hint }))}
          index={open.choice}
          rows={area.rows - 2 - (whyNot === '' ? 0 : 2)}
        />
      )}
      {whyNot !== '' && <Gap />}
      {whyNot !== '' && (
        <Row>
          <Label tone="warn">{whyNot}</Label>
        </Row>
      )}
    </>
  );
}
