import { catalogue } from '../../../src/i18n/catalogue.ts';
import { displayWidth, wrapLines } from '../../../src/platform/text.ts';
import { Notice, Spinner } from '../../../src/ui/components/notices.tsx';
import { Gap, Label, Row, Select } from '../../../src/ui/components/select.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import { LogView } from '../../../src/ui/components/text-views.tsx';
import type { Binding } from '../../../src/ui/keys.tsx';
import { useArea } from '../../../src/ui/terminal-style.tsx';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { ImportState } from '../../../src/wizard/overlays/overlay.ts';
import { countErrorsAfterImport, listImportModes, previewNodes } from '../../../src/wizard/overlays/update-import.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/typing.ts';
import { estimateLines, getJumpDistance, listBindings, overlayUndoBindings, quitBindings } from '../bindings.ts';
import { Paragraph } from '../text.tsx';

const words = () => catalogue().imports;

const keys = () => catalogue().screens.keys;

/** Returns the keys of the import overlay in its current phase. */
export function importBindings(importing: ImportState): Binding<Intent>[] {
  const { phase } = importing;
  const close: Binding<Intent> = { keys: ['escape'], label: keys().back, intent: { type: 'import/close' } };
  const quit = [...overlayUndoBindings({ isTyping: phase !== 'offered' }), ...quitBindings()];
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
        ...listBindings({ label: keys().row, toIntent: (by): Intent => ({ type: 'import/move', by }), hasTab: true }),
        ...(importing.phase === 'offered' ? noteBindings(importing.offer.notes) : []),
        close,
        ...quit,
      ];
    case 'file':
    case 'reading':
      return [enter(keys().read), close, ...quit];
  }
}

/** Right and Left scroll the notes of an offer. */
function noteBindings(notes: readonly string[]): Binding<Intent>[] {
  if (notes.length === 0) return [];
  const count = estimateLines(notes) + FIXED_LINES;
  const scroll = (by: number): Intent => ({ type: 'import/read', by, count });
  return [
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(5) },
    { keys: ['left'], label: keys().readBack, intent: scroll(-5), hidden: true },
  ];
}

/** Estimated lines of the fixed texts of an offer in a narrow window. */
const FIXED_LINES = 12;

/**
 * The intent of typed text: it edits the file name or the pasted lines. In an offer, a letter selects the option that
 * begins with it.
 */
export function getImportIntent(importing: ImportState, event: KeyEvent): Intent {
  if (importing.phase !== 'offered') return { type: 'import/edit', event };
  const labels = listImportModes(importing.offer).map((way) => words().screen.modes[way]);
  return { type: 'import/move', by: getJumpDistance(labels, importing.choice, event) };
}

/**
 * Imports a file or pasted lines. Replaces the body of the screen.
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
      <ImportPhase state={state} importing={importing} />
      {refusal !== null && (
        <>
          <Gap />
          <Notice kind="error" text={refusal} height={8} />
        </>
      )}
    </>
  );
}

function ImportPhase({ state, importing }: { readonly state: WizardState; readonly importing: ImportState }) {
  switch (importing.phase) {
    case 'file':
    case 'reading':
      return <FileInput importing={importing} />;
    case 'lines':
      return <PastedLines importing={importing} />;
    case 'offered':
      return <OfferView state={state} importing={importing} />;
  }
}

type Phase<Name extends ImportState['phase']> = Extract<ImportState, { phase: Name }>;

function FileInput({ importing }: { readonly importing: Phase<'file' | 'reading'> }) {
  const { columns } = useArea();
  const label = `${words().screen.file}  `;
  return (
    <>
      <Row>
        <Label tone="focus">{label}</Label>
        <TextField
          state={importing.editor}
          width={columns - displayWidth(label)}
          isFocused={importing.phase === 'file'}
        />
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

function PastedLines({ importing }: { readonly importing: Phase<'lines'> }) {
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

function OfferView({
  state,
  importing: { offer, choice, top },
}: {
  readonly state: WizardState;
  readonly importing: Phase<'offered'>;
}) {
  const area = useArea();
  const ways = listImportModes(offer);
  const way = ways[choice] ?? 'over';
  const { nodes, added, changed } = previewNodes(state, offer);
  const importedKeys = Object.keys(offer.document).filter((key) => key !== 'apiVersion' && key !== 'kind');
  const texts = [
    words().screen.readAs(offer.path ?? words().screen.pasted, words().kinds[offer.kind]),
    ...(importedKeys.length === 1 && importedKeys[0] === 'nodes' ? [] : [words().screen.keys(importedKeys.join(', '))]),
    ...(nodes.length > 0 ? [words().screen.nodes(nodes.length, added, changed)] : []),
    ...offer.notes,
    ...(offer.secrets.length > 0 ? [words().screen.secrets(offer.secrets.join(', '))] : []),
    words().screen.remainingErrors(countErrorsAfterImport(state, offer, way)),
  ];
  const lines = texts.flatMap((text) => wrapLines(text, area.columns)).map((text) => ({ text }));
  const height = Math.min(lines.length, Math.max(1, area.rows - ways.length - 4));
  // Lines that do not fit are counted, never dropped silently.
  const first = Math.min(top, Math.max(0, lines.length - height));
  const hiddenCount = lines.length - first - height;
  const shown =
    hiddenCount <= 0
      ? lines.slice(first)
      : [
          ...lines.slice(first, first + height - 1),
          { text: catalogue().ui.moreLines(hiddenCount + 1), tone: 'accent' as const },
        ];
  return (
    <>
      <LogView lines={shown} top={0} height={height} />
      <Gap />
      <Select
        items={ways.map((value) => ({
          value,
          label: words().screen.modes[value],
          hint: words().screen.modeHints[value],
        }))}
        index={choice}
        rows={ways.length}
      />
    </>
  );
}
