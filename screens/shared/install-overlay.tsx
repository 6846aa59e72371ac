import { catalogue } from '../../src/text/catalogue.ts';
import { widthOf } from '../../src/text/width.ts';
import { Gap, Label, Row } from '../../src/ui/components/label.tsx';
import { Notice } from '../../src/ui/components/notices.tsx';
import { TextField } from '../../src/ui/components/text-field.tsx';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import { useArea } from '../../src/ui/look.tsx';
import type { Intent } from '../../src/wizard/intents.ts';
import type { Overlay } from '../../src/wizard/state.ts';
import { overlayQuit, overlayUndo } from './bindings.ts';
import { Paragraph } from './text.tsx';

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

/**
 * Where to install for real what was rehearsed.
 *
 *     Install for real with this design
 *
 *     Install directory  /home/user/upi-cluster
 */
export function InstallOverlay({ asking: { editor, refusal } }: { readonly asking: Asking }) {
  const { columns } = useArea();
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
      <Paragraph text={words().why} tone="dim" height={6} />
      {refusal !== null && (
        <>
          <Gap />
          <Notice kind="error" text={refusal} height={5} />
        </>
      )}
    </>
  );
}
