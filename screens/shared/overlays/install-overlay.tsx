import { catalogue } from '../../../src/i18n/catalogue.ts';
import { displayWidth } from '../../../src/platform/text.ts';
import { countNoticeRows, Notice } from '../../../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../../../src/ui/components/select.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import type { Binding } from '../../../src/ui/keys.tsx';
import { useArea, useTerminalStyle } from '../../../src/ui/terminal-style.tsx';

import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import { overlayUndoBindings, quitBindings } from '../bindings.ts';
import { countParagraphRows, Paragraph } from '../text.tsx';

const words = () => catalogue().rehearsal.install;
const keys = () => catalogue().screens.keys;

type InstallPrompt = Extract<Overlay, { kind: 'install' }>;

/** Returns the keys of the overlay that asks for the install directory. */
export function installBindings(): Binding<Intent>[] {
  return [
    { keys: ['enter'], label: keys().begin, intent: { type: 'install/enter' } },
    { keys: ['escape'], label: keys().back, intent: { type: 'overlay/close' } },
    ...overlayUndoBindings({ isTyping: true }),
    ...quitBindings(),
  ];
}

/** Maximum rows of the explanation. It gives way to an error message about the last input. */
const MAX_WHY_ROWS = 6;

/**
 * Asks for the directory of the real installation after a rehearsal.
 *
 *     Install for real with this design
 *
 *     Install directory  /home/user/upi-cluster
 */
export function InstallOverlay({ prompt: { editor, refusal } }: { readonly prompt: InstallPrompt }) {
  const { columns, rows } = useArea();
  const style = useTerminalStyle();
  const noticeHeight =
    refusal === null ? 0 : countNoticeRows({ kind: 'error', text: refusal, height: rows - 6 }, columns, style);
  const label = `${words().directory}  `;
  return (
    <>
      <Row>
        <Label isBold>{words().title}</Label>
      </Row>
      <Gap />
      <Row>
        <Label tone="focus">{label}</Label>
        <TextField state={editor} width={columns - displayWidth(label)} isFocused />
      </Row>
      <Gap />
      {(noticeHeight === 0 || rows - 6 - noticeHeight >= countParagraphRows(words().why, columns, MAX_WHY_ROWS)) && (
        <Paragraph text={words().why} tone="dim" height={MAX_WHY_ROWS} />
      )}
      {refusal !== null && (
        <>
          <Gap />
          <Notice kind="error" text={refusal} height={noticeHeight} />
        </>
      )}
    </>
  );
}
