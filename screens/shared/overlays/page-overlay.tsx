import { catalogue } from '../../../src/text/catalogue.ts';
import { commandLines, proseLines } from '../../../src/text/command-lines.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import { Gap, Label, Row } from '../../../src/ui/components/label.tsx';
import { Spinner } from '../../../src/ui/components/progress.tsx';
import { LogView, type TextLine } from '../../../src/ui/components/text-views.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { useArea } from '../../../src/ui/look.tsx';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import { linesAbout, overlayQuit, pageTurning } from '../bindings.ts';

const keys = () => catalogue().screens.keys;

type ShownPage = Extract<Overlay, { kind: 'page' }>;

/** Any key closes a page that holds a secret. */
export function pageBindings({ shown: page, top }: ShownPage): Binding<Intent>[] {
  const close: Intent = { type: 'overlay/close' };
  if (page?.secret) return [{ keys: ['escape'], label: keys().hide, intent: close }];
  const count = linesAbout([...(page?.lines ?? []), ...(page?.after ?? [])]);
  return [
    { keys: ['enter'], label: keys().close, intent: close },
    { keys: ['escape', LETTERS.close], label: keys().close, intent: close },
    ...(page?.more
      ? [
          {
            keys: [LETTERS.askForKey],
            label: page.more.label,
            intent: { type: 'step/show', subject: page.more.subject } as const,
          },
        ]
      : []),
    ...pageTurning(top, count),
    ...overlayQuit(),
  ];
}

/**
 * A page that a person asked for, in place of the screen's body.
 *
 *     Latest events around ingress
 *
 *     2 min  WARNING  FailedScheduling  Pod/router-default-5d4f  ×7
 *         0/3 nodes are available
 */
export function PageOverlay({ page: { subject, shown: page, top } }: { readonly page: ShownPage }) {
  const area = useArea();
  if (!page)
    return (
      <Spinner label={subject === 'diagnosis' ? catalogue().diagnose.looking : catalogue().screens.step.looking} />
    );
  // What continues a line stands under its start.
  const wrapped = (lines: readonly string[]) =>
    lines.flatMap((line): (string | TextLine)[] => {
      const [head = ''] = /^[ -]*/.exec(line) ?? [];
      const command = /^ *\$ (.*)$/.exec(line)?.[1];
      // A command stays whole, whatever the width.
      if (command !== undefined)
        return commandLines(command, area.columns, head).map((text) => ({ text, tone: 'accent' as const }));
      return proseLines(line.slice(head.length), area.columns, head).map(({ text, isCommand }) =>
        isCommand ? { text, tone: 'accent' as const } : text,
      );
    });
  const lines = [
    ...wrapped(page.lines),
    ...(page.secret ? [{ text: `${page.secret.label}${page.secret.value.reveal()}`, tone: 'focus' as const }] : []),
    ...(page.after ? ['', ...wrapped(page.after)] : []),
  ];
  const room = Math.max(1, area.rows - 2);
  return (
    <>
      <Row>
        <Label isBold>{page.title}</Label>
      </Row>
      <Gap />
      <LogView lines={lines} top={Math.min(top, Math.max(0, lines.length - room))} height={room} />
    </>
  );
}
