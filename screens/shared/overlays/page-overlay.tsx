import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapCommand, wrapProse } from '../../../src/i18n/prose.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { Spinner } from '../../../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../../../src/ui/components/select.tsx';
import { LogView, type TextLine } from '../../../src/ui/components/text-views.tsx';
import type { Binding } from '../../../src/ui/keys.tsx';
import { useArea } from '../../../src/ui/terminal-style.tsx';

import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import { estimateLines, pageScrollBindings, quitBindings } from '../bindings.ts';

const keys = () => catalogue().screens.keys;

type ShownPage = Extract<Overlay, { kind: 'page' }>;

/** Returns the keys of a page. Any key closes a page that holds a secret. */
export function pageBindings({ shown: page, top }: ShownPage): Binding<Intent>[] {
  const close: Intent = { type: 'overlay/close' };
  if (page?.secret) return [{ keys: ['escape'], label: keys().hide, intent: close }];
  const count = estimateLines([...(page?.lines ?? []), ...(page?.after ?? [])]);
  return [
    { keys: ['enter'], label: keys().close, intent: close },
    { keys: ['escape', SHORTCUTS.close], label: keys().close, intent: close },
    ...(page?.more
      ? [
          {
            keys: [SHORTCUTS.verifyKey],
            label: page.more.label,
            intent: { type: 'step/show', subject: page.more.subject } as const,
          },
        ]
      : []),
    ...pageScrollBindings(top, count),
    ...quitBindings(),
  ];
}

/**
 * A page that the user opened, in place of the screen's body.
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
      <Spinner label={subject === 'diagnosis' ? catalogue().diagnose.progress : catalogue().screens.step.looking} />
    );
  // Continuation lines align with the start of the text.
  const wrapPageLines = (lines: readonly string[]) =>
    lines.flatMap((line): (string | TextLine)[] => {
      const [head = ''] = /^[ -]*/.exec(line) ?? [];
      const command = /^ *\$ (.*)$/.exec(line)?.[1];
      // A command is never truncated, whatever the width.
      if (command !== undefined)
        return wrapCommand(command, area.columns, head).map((text) => ({ text, tone: 'accent' as const }));
      return wrapProse(line.slice(head.length), area.columns, head).map(({ text, isCommand }) =>
        isCommand ? { text, tone: 'accent' as const } : text,
      );
    });
  const lines = [
    ...wrapPageLines(page.lines),
    ...(page.secret ? [{ text: `${page.secret.label}${page.secret.value.reveal()}`, tone: 'focus' as const }] : []),
    ...(page.after ? ['', ...wrapPageLines(page.after)] : []),
  ];
  const visibleRows = Math.max(1, area.rows - 2);
  return (
    <>
      <Row>
        <Label isBold>{page.title}</Label>
      </Row>
      <Gap />
      <LogView lines={lines} top={Math.min(top, Math.max(0, lines.length - visibleRows))} height={visibleRows} />
    </>
  );
}
