import { catalogue } from '../../src/text/catalogue.ts';
import { Gap, Label, Row } from '../../src/ui/components/label.tsx';
import { Notice } from '../../src/ui/components/notices.tsx';
import { Spinner } from '../../src/ui/components/progress.tsx';
import { Select } from '../../src/ui/components/select.tsx';
import { TextField } from '../../src/ui/components/text-field.tsx';
import { LogView } from '../../src/ui/components/text-views.tsx';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import { useArea } from '../../src/ui/look.tsx';
import { wrapLines } from '../../src/ui/width.ts';
import { errorsAfter, type ImportOffer, type ImportState, offeredNodes, waysOf } from '../../src/wizard/importing.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { KeyEvent } from '../../src/wizard/key-event.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { Paragraph } from './text.tsx';

const words = () => catalogue().imports;

const keys = () => catalogue().screens.keys;

export function importBindings({ importing }: WizardState): Binding<Intent>[] {
  const close: Binding<Intent> = { keys: ['escape'], label: keys().back, intent: { type: 'import/close' } };
  const ask: Binding<Intent> = {
    keys: ['ctrl-c'],
    label: keys().quit,
    intent: { type: 'overlay/open', overlay: 'quit' },
    hidden: true,
  };
  const quit: Binding<Intent> = { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } };
  const enter = (label: string): Binding<Intent> => ({ keys: ['enter'], label, intent: { type: 'import/enter' } });
  switch (importing?.phase) {
    case 'lines':
      return [
        { keys: ['ctrl-d'], label: keys().linesDone, intent: { type: 'import/finish' } },
        enter(keys().lineDone),
        close,
        quit,
        ask,
      ];
    case 'offered':
      return [
        enter(keys().take),
        { keys: ['up', 'shift-tab'], label: keys().row, intent: { type: 'import/move', by: -1 } },
        { keys: ['down', 'tab'], label: keys().row, intent: { type: 'import/move', by: 1 }, hidden: true },
        close,
        quit,
        ask,
      ];
    default:
      return [enter(keys().read), close, quit, ask];
  }
}

/** What is typed goes into the name of the file, or to the lines. */
export function importText(event: KeyEvent): Intent {
  return { type: 'import/edit', event };
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
export function ImportOverlay({ state }: { readonly state: WizardState }) {
  const { importing } = state;
  if (!importing) return null;
  return (
    <>
      <Row>
        <Label isBold>{words().screen.title}</Label>
      </Row>
      <Gap />
      {importing.phase === 'offered' && importing.offer ? (
        <Offer state={state} importing={importing} offer={importing.offer} />
      ) : importing.phase === 'lines' ? (
        <Lines importing={importing} />
      ) : (
        <File importing={importing} />
      )}
      {importing.refusal !== null && (
        <>
          <Gap />
          <Notice kind="error" text={importing.refusal} height={4} />
        </>
      )}
    </>
  );
}

function File({ importing }: { readonly importing: ImportState }) {
  const { columns } = useArea();
  const label = `${words().screen.file}  `;
  return (
    <>
      <Row>
        <Label tone="focus">{label}</Label>
        <TextField state={importing.editor} width={columns - label.length} isFocused={importing.phase === 'file'} />
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

function Lines({ importing }: { readonly importing: ImportState }) {
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
  importing,
  offer,
}: {
  readonly state: WizardState;
  readonly importing: ImportState;
  readonly offer: ImportOffer;
}) {
  const area = useArea();
  const ways = waysOf(offer);
  const way = ways[importing.choice] ?? 'over';
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
  return (
    <>
      <LogView lines={lines} top={0} height={height} />
      <Gap />
      <Select
        items={ways.map((value) => ({
          value,
          label: words().screen.ways[value],
          hint: words().screen.wayHints[value],
        }))}
        index={importing.choice}
        rows={ways.length}
      />
    </>
  );
}
