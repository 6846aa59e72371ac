import type { ReactNode } from 'react';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapCommand, wrapProse } from '../../../src/i18n/prose.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { displayWidth } from '../../../src/platform/text.ts';
import { Confirm, countNoticeRows, HelpOverlay, Notice, Spinner } from '../../../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../../../src/ui/components/select.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import { LogView, type TextLine } from '../../../src/ui/components/text-views.tsx';
import type { Binding } from '../../../src/ui/keys.tsx';
import { useArea, useTerminalStyle } from '../../../src/ui/terminal-style.tsx';
import { describeFollowUpOffer } from '../../../src/wizard/design/follow-up.ts';
import { FILL_KINDS } from '../../../src/wizard/design/node-table.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/typing.ts';
import { listSidebarItems } from '../aside.tsx';
import {
  estimateLines,
  getJumpDistance,
  overlayUndoBindings,
  pageScrollBindings,
  quitBindings,
  textScrollBindings,
} from '../bindings.ts';
import { countParagraphRows, Paragraph } from '../text.tsx';
import { FillOverlay, fillBindings } from './fill-overlay.tsx';
import { getImportIntent, ImportOverlay, importBindings } from './import-overlay.tsx';
import { PaletteOverlay, paletteBindings, sidebarBindings } from './palette-overlay.tsx';

const words = () => catalogue().following;

type FollowUpOffer = Extract<Overlay, { kind: 'follow' }>;

/** Returns the keys of the follow-up offer. Enter accepts it: undo can revert it, so nothing is lost. */
function followUpBindings({ document }: Pick<WizardState, 'document'>, { change }: FollowUpOffer): Binding<Intent>[] {
  const count = estimateLines(describeFollowUpOffer(document, change).lines);
  const scroll = (by: number): Intent => ({ type: 'follow/scroll', by, count });
  return [
    { keys: ['enter', 'y'], label: words().yes, intent: { type: 'follow/accept' } },
    { keys: ['escape', 'n'], label: words().no, intent: { type: 'follow/decline' } },
    ...textScrollBindings(scroll),
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(10), hidden: true },
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
  ];
}

/**
 * The answers that depend on the one that the user changed, each with its new value.
 *
 *     Move 16 addresses to 10.20.30.0/24?
 *
 *     172.16.0.254 -> 10.20.30.254  Gateway
 *     172.16.0.111 -> 10.20.30.111  API address, Ingress address
 *     172.16.0.11  -> 10.20.30.11   bs
 *
 *     y change them   n leave them
 */
function FollowUpOverlay({ state, offer }: { readonly state: WizardState; readonly offer: FollowUpOffer }) {
  const { question, lines } = describeFollowUpOffer(state.document, offer.change);
  return (
    <Confirm
      question={question}
      details={[words().why, '', ...lines]}
      top={offer.top}
      yes={words().yes}
      no={words().no}
    />
  );
}

const installOverlayWords = () => catalogue().rehearsal.install;

type InstallPrompt = Extract<Overlay, { kind: 'install' }>;

/** Returns the keys of the overlay that asks for the install directory. */
function installBindings(): Binding<Intent>[] {
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
function InstallOverlay({ prompt: { editor, refusal } }: { readonly prompt: InstallPrompt }) {
  const { columns, rows } = useArea();
  const style = useTerminalStyle();
  const noticeHeight =
    refusal === null ? 0 : countNoticeRows({ kind: 'error', text: refusal, height: rows - 6 }, columns, style);
  const label = `${installOverlayWords().directory}  `;
  return (
    <>
      <Row>
        <Label isBold>{installOverlayWords().title}</Label>
      </Row>
      <Gap />
      <Row>
        <Label tone="focus">{label}</Label>
        <TextField state={editor} width={columns - displayWidth(label)} isFocused />
      </Row>
      <Gap />
      {(noticeHeight === 0 ||
        rows - 6 - noticeHeight >= countParagraphRows(installOverlayWords().why, columns, MAX_WHY_ROWS)) && (
        <Paragraph text={installOverlayWords().why} tone="dim" height={MAX_WHY_ROWS} />
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

const keys = () => catalogue().screens.keys;

type ShownPage = Extract<Overlay, { kind: 'page' }>;

/** Returns the keys of a page. Any key closes a page that holds a secret. */
function pageBindings({ shown: page, top }: ShownPage): Binding<Intent>[] {
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
function PageOverlay({ page: { subject, shown: page, top } }: { readonly page: ShownPage }) {
  const area = useArea();
  if (!page)
    return (
      <Spinner label={subject === 'diagnosis' ? catalogue().diagnose.progress : catalogue().screens.step.probing} />
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

/** The screen under an overlay: its help, and the keys that work on it. */
export interface UnderlyingScreen {
  readonly help: () => readonly string[];
  readonly bindings: () => readonly Binding<Intent>[];
  /** The glossary terms of the screen, shown after everything else. */
  readonly terms: () => readonly string[];
  readonly draw: () => ReactNode;
}

type OpenOverlay = NonNullable<Overlay>;

/** Draws an overlay in place of the screen's body. */
export function drawOverlay(
  state: WizardState,
  overlay: OpenOverlay,
  below: UnderlyingScreen,
  resumeCommand: string,
): ReactNode {
  switch (overlay.kind) {
    case 'help':
      return (
        <HelpOverlay
          title={catalogue().screens.sidebar[state.screen]}
          paragraphs={below.help()}
          bindings={below.bindings()}
          after={below.terms()}
          top={overlay.top}
          ownBindings={overlayBindings(state, overlay, below)}
        />
      );
    case 'quit':
      return (
        <Confirm
          question={catalogue().screens.quit.question}
          details={[...catalogue().screens.quit.details, resumeCommand]}
        />
      );
    case 'unsaved':
      return (
        <Confirm
          question={catalogue().screens.unsaved.question}
          details={catalogue().screens.unsaved.details(state.saveError?.cause ?? '')}
          yes={catalogue().screens.unsaved.yes}
          no={catalogue().screens.unsaved.no}
        />
      );
    case 'import':
      return <ImportOverlay state={state} importing={overlay.importState} />;
    case 'fill':
      return <FillOverlay state={state} filling={overlay} />;
    case 'follow':
      return <FollowUpOverlay state={state} offer={overlay} />;
    case 'install':
      return <InstallOverlay prompt={overlay} />;
    case 'palette':
      return <PaletteOverlay state={state} open={overlay} commands={below.bindings()} />;
    case 'rail':
      return below.draw();
    case 'page':
      return <PageOverlay page={overlay} />;
  }
}

/** Returns the keys of an overlay. */
export function overlayBindings(
  state: WizardState,
  overlay: OpenOverlay,
  below: UnderlyingScreen,
): readonly Binding<Intent>[] {
  const { keys } = catalogue().screens;
  switch (overlay.kind) {
    case 'help':
      return [
        {
          keys: ['escape', 'enter', 'ctrl-g', SHORTCUTS.help, SHORTCUTS.close],
          label: keys.close,
          intent: { type: 'overlay/close' },
        },
        ...quitBindings(),
        ...pageScrollBindings(overlay.top, estimateHelpLines(below)),
      ];
    case 'quit':
      return [
        { keys: ['y', 'ctrl-c', 'ctrl-s'], label: keys.quit, intent: { type: 'session/quit' } },
        { keys: ['n', 'escape'], label: keys.stay, intent: { type: 'overlay/close' } },
      ];
    case 'unsaved':
      return [
        { keys: ['ctrl-s'], label: keys.quit, intent: { type: 'session/quit' } },
        { keys: ['y'], label: keys.abandon, intent: { type: 'session/abandon' } },
        { keys: ['n', 'escape'], label: keys.stay, intent: { type: 'overlay/close' } },
      ];
    case 'import':
      return importBindings(overlay.importState);
    case 'fill':
      return fillBindings(state, overlay);
    case 'follow':
      return followUpBindings(state, overlay);
    case 'install':
      return installBindings();
    case 'palette':
      return paletteBindings(state, overlay, below.bindings());
    case 'rail':
      return sidebarBindings(state);
    case 'page':
      return pageBindings(overlay);
  }
}

/** Returns the intent of a key that is not bound in the overlay: text, where it takes text. */
export function getOverlayIntent(state: WizardState, overlay: OpenOverlay, event: KeyEvent): Intent | null {
  switch (overlay.kind) {
    case 'import':
      return getImportIntent(overlay.importState, event);
    case 'install':
      return { type: 'install/edit', event };
    case 'palette':
      return { type: 'palette/edit', event };
    case 'page':
      return overlay.shown?.secret ? { type: 'overlay/close' } : null;
    case 'help':
    case 'quit':
    case 'unsaved':
    case 'follow':
      return null;
    case 'fill': {
      const labels = FILL_KINDS.map((fill) => catalogue().screens.nodes.fill.labels[fill]);
      return { type: 'node/fill-move', by: getJumpDistance(labels, overlay.choice, event) };
    }
    case 'rail': {
      const labels = listSidebarItems(state).map(({ label }) => label);
      return { type: 'rail/move', by: getJumpDistance(labels, overlay.row, event) };
    }
  }
}

/** Estimates the lines of the help page: enough for scrolling to reach the last one. */
function estimateHelpLines({ help, bindings, terms }: UnderlyingScreen): number {
  const texts = [...help(), ...terms()];
  return texts.reduce((lines, text) => lines + Math.ceil(text.length / 40) + 1, bindings().length + 1);
}
