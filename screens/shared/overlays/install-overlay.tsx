import { catalogue } from '../../../src/text/catalogue.ts';
import { widthOf } from '../../../src/text/width.ts';
import { Gap, Label, Row } from '../../../src/ui/components/label.tsx';
import { Notice, noticeRows } from '../../../src/ui/components/notices.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { useArea, useLook } from '../../../src/ui/look.tsx';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import { overlayQuit, overlayUndo } from '../bindings.ts';
import { Paragraph, paragraphRows } from '../text.tsx';

const words = () => catalogue().rehearsal.install;
const keys = () => catalogue().screens.keys;

type Asking = Extract<Overlay, { kind: 'install' }>;

export function installBindings(): Binding<Intent>[] {
  return [
    { keys: ['enter'], label: keys().begin, intent: { type: 'install/enter' } },
    { keys: ['escape'], label: keys().back, intent: { type: 'overlay/close' } },
    ...overlayUndo({ isTyping: true }),
    ...overlayQuit(),
  ];
}

/** What is wrong with the last answer is read first. */
const WHY_ROWS = 6;

/**
 * Where to install for real what was rehearsed.
 *
 *     Install for real with this design
 *
 *     Install directory  /home/user/upi-cluster
 */
export function InstallOverlay({ asking: { editor, refusal } }: { readonly asking: Asking }) {
  const { columns, rows } = useArea();
  const look = useLook();
  const said = refusal === null ? 0 : noticeRows({ kind: 'error', text: refusal, height: rows - 6 }, columns, look);
  const label = `${words().directory}  `;
  return (
    <>
      <Row>
        <Label isBold>{words().title}</Label>
      </Row>
      <Gap />
      <Row>
        <Label tone="focus">{label}</Label>
        <TextField state={editor} width={columns - widthOf(label)} isFocused />
      </Row>
      <Gap />
      {(said === 0 || rows - 6 - said >= paragraphRows(words().why, columns, WHY_ROWS)) && (
        <Paragraph text={words().why} tone="dim" height={WHY_ROWS} />
      )}
      {refusal !== null && (
        <>
          <Gap />
          <Notice kind="error" text={refusal} height={said} />
        </>
      )}
    </>
  );
}
