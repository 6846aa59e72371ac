import { catalogue } from '../../../src/text/catalogue.ts';
import { widthOf, wrapLines } from '../../../src/text/width.ts';
import { Gap, Label, Row } from '../../../src/ui/components/label.tsx';
import { Notice } from '../../../src/ui/components/notices.tsx';
import { Spinner } from '../../../src/ui/components/progress.tsx';
import { Select } from '../../../src/ui/components/select.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import { LogView } from '../../../src/ui/components/text-views.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { useArea } from '../../../src/ui/look.tsx';
import type { Intent } from '../../../src/wizard/intents.ts';
import { errorsAfter, offeredNodes, waysOf } from '../../../src/wizard/overlays/importing.ts';
import type { ImportState } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/typing/key-event.ts';
import { jumpBy, linesAbout, listBindings, overlayQuit, overlayUndo } from '../bindings.ts';
import { Paragraph } from '../text.tsx';

const words = () => catalogue().imports;

const keys = () => catalogue().screens.keys;

export function importBindings(importing: ImportState): Binding<Intent>[] {
  const { phase } = importing;
  const close: Binding<Intent> = { keys: ['escape'], label: keys().back, intent: { type: 'import/close' } };
  const quit = [...overlayUndo({ isTyping: phase !== 'offered' }), ...overlayQuit()];
  const enter = (label: string): Binding<Intent> => ({ keys: ['enter'], label, intent: { type: 'import/enter' } });
  switch (phase) {
    case 'lines':
      return [
        { keys: ['ctrl-d'], label: keys().linesDone, intent: { type: 'import/finish' } },
        enter(keys().lineDone),
        close,
        ...quit,
      ];
    case 'offered':
      return [
        enter(keys().take),
        ...listBindings({ label: keys().row, make: (by): Intent => ({ type: 'import/move', by }), hasTab: true }),
        ...(importing.phase === 'offered' ? noteBindings(importing.offer.notes) : []),
        close,
        ...quit,
      ];
    case 'file':
    case 'reading':
      return [enter(keys().read), close, ...quit];
  }
}

/** Right and Left read on and back in what is said of an offer. */
function noteBindings(notes: readonly string[]): Binding<Intent>[] {
  if (notes.length === 0) return [];
  const count = linesAbout(notes) + FIXED_LINES;
  const read = (by: number): Intent => ({ type: 'import/read', by, count });
  return [
    { keys: ['right', ' '], label: keys().readOn, intent: read(5) },
    { keys: ['left'], label: keys().readBack, intent: read(-5), hidden: true },
  ];
}

/** About as many lines as what is always said of an offer takes in a narrow window. */
const FIXED_LINES = 12;

/** Typed text goes into the name of the file, or to the lines; of what is offered it finds a way to take it. */
export function importText(importing: ImportState, event: KeyEvent): Intent {
  if (importing.phase !== 'offered') return { type: 'import/edit', event };
  const labels = waysOf(importing.offer).map((way) => words().screen.ways[way]);
  return { type: 'import/move', by: jumpBy(labels, importing.choice, event) };
}

/**
 * Brings in a file or pasted lines, in place of the screen's body.
 *
 *     Bring in what you have
 *
 *     nodes.csv was read as a table of nodes.
 *     12 nodes: 10 new, 2 with the name of one in the table.
 *
 *     ▸ Replace the node table             the nodes there now go; u brings them back
 *       Put them over the table, by name   the other nodes stay
 */
export function ImportOverlay({ state, importing }: { readonly state: WizardState; readonly importing: ImportState }) {
  const refusal = 'refusal' in importing ? importing.refusal : null;
  return (
    <>
      <Row>
        <Label isBold>{words().screen.title}</Label>
      </Row>
      <Gap />
      <Given state={state} importing={importing} />
      {refusal !== null && (
        <>
          <Gap />
          <Notice kind="error" text={refusal} height={8} />
        </>
      )}
    </>
  );
}

function Given({ state, importing }: { readonly state: WizardState; readonly importing: ImportState }) {
  switch (importing.phase) {
    case 'file':
    case 'reading':
      return <File importing={importing} />;
    case 'lines':
      return <Lines importing={importing} />;
    case 'offered':
      return <Offer state={state} importing={importing} />;
  }
}

type Phase<Name extends ImportState['phase']> = Extract<ImportState, { phase: Name }>;

function File({ importing }: { readonly importing: Phase<'file' | 'reading'> }) {
  const { columns } = useArea();
  const label = `${words().screen.file}  `;
  return (
    <>
      <Row>
        <Label tone="focus">{label}</Label>
        <TextField state={importing.editor} width={columns - widthOf(label)} isFocused={importing.phase === 'file'} />
      </Row>
      <Gap />
      {importing.phase === 'reading' ? (
        <Row>
          <Spinner label={words().screen.reading} />
        </Row>
      ) : (
        <Paragraph text={words().screen.fileWhy} tone="dim" height={5} />
      )}
    </>
  );
}

function Lines({ importing }: { readonly importing: Phase<'lines'> }) {
  const { columns, rows } = useArea();
  const lines = importing.lines.split('\n');
  const height = Math.max(1, rows - 11);
  const shown = lines.map((text) => ({ text: text.replaceAll('\t', '  ') }));
  return (
    <>
      <Paragraph text={words().screen.lines} tone="dim" />
      <Gap />
      <LogView lines={shown} top={Math.max(0, lines.length - height)} height={Math.min(height, lines.length)} />
      <Row width={columns}>
        <Label tone="dim">{words().screen.lineCount(lines.filter((line) => line.trim() !== '').length)}</Label>
      </Row>
    </>
  );
}

function Offer({
  state,
  importing: { offer, choice, top },
}: {
  readonly state: WizardState;
  readonly importing: Phase<'offered'>;
}) {
  const area = useArea();
  const ways = waysOf(offer);
  const way = ways[choice] ?? 'over';
  const { nodes, added, changed } = offeredNodes(state, offer);
  const told = Object.keys(offer.document).filter((key) => key !== 'apiVersion' && key !== 'kind');
  const said = [
    words().screen.readAs(offer.path ?? words().screen.pasted, words().kinds[offer.kind]),
    ...(told.length === 1 && told[0] === 'nodes' ? [] : [words().screen.keys(told.join(', '))]),
    ...(nodes.length > 0 ? [words().screen.nodes(nodes.length, added, changed)] : []),
    ...offer.notes,
    ...(offer.secrets.length > 0 ? [words().screen.secrets(offer.secrets.join(', '))] : []),
    words().screen.after(errorsAfter(state, offer, way)),
  ];
  const lines = said.flatMap((text) => wrapLines(text, area.columns)).map((text) => ({ text }));
  const height = Math.min(lines.length, Math.max(1, area.rows - ways.length - 4));
  // What does not fit is counted, never cut without a word.
  const first = Math.min(top, Math.max(0, lines.length - height));
  const left = lines.length - first - height;
  const shown =
    left <= 0
      ? lines.slice(first)
      : [
          ...lines.slice(first, first + height - 1),
          { text: catalogue().ui.moreLines(left + 1), tone: 'accent' as const },
        ];
  return (
    <>
      <LogView lines={shown} top={0} height={height} />
      <Gap />
      <Select
        items={ways.map((value) => ({
          value,
          label: words().screen.ways[value],
          hint: words().screen.wayHints[value],
        }))}
        index={choice}
        rows={ways.length}
      />
    </>
  );
}
