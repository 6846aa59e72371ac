import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { wrapBeside, wrapLines } from '../src/platform/text.ts';
import type { Tone } from '../src/rows/page-rows.ts';
import { createTextRows, getLastTop, type TextLine } from '../src/rows/text.ts';
import type { RemovalView } from '../src/steps/bootstrap-removal.ts';
import { renderChanges } from './shared/step/changes.ts';
import { createDetailScrollBindings } from './shared/step/step-bindings.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const words = () => catalogue().steps.removal;

/** Shows the changes on the load balancer as a diff, then the members as each load balancer reports them. */
export const bootstrapRemovalScreen = createStepScreen<RemovalView>({
  id: 'bootstrap-removal',
  watchesSite: true,
  bindings: (view, _row, { top }, { scroll }) => [
    ...(view.sshBalancerNames === null
      ? []
      : [
          {
            keys: [SHORTCUTS.installOverSsh],
            label: words().overSsh.key,
            intent: { type: 'step/ask' as const, action: 'apply-one' as const, subject: view.sshBalancerNames },
          },
        ]),
    {
      keys: [SHORTCUTS.undo],
      label: catalogue().screens.keys.undo,
      intent: null,
      disabledReason: words().noUndo,
      isHidden: true,
    },
    ...createDetailScrollBindings(top, scroll),
  ],
  getQuestion: (_view, subject) => ({ question: words().overSsh.question(subject), details: words().overSsh.details }),
  body: (view, { top, phase, lines: messages }) => ({
    layOut(viewport) {
      const progress = phase === 'applying' ? renderProgress(messages, viewport.columns) : [];
      const lines = [...progress, ...renderRemoval(view, viewport.columns)];
      const emptyText = view.bootstrap ? words().powerOff(view.bootstrap) : '';
      return {
        height: Math.max(1, lines.length),
        draw: (rows) => ({
          rows: createTextRows({ lines, top, key: 'right', emptyText }, { ...viewport, rows }),
          scroll: { lineCount: lines.length, lastTop: getLastTop(lines.length, rows) },
        }),
      };
    },
  }),
});

/** Wraps a list of members. */
function wrapMembers(text: string, columns: number, tone: Tone = 'text'): TextLine[] {
  const [indent = ''] = /^ */.exec(text) ?? [];
  return wrapBeside(`${indent}  `, text.trimStart(), columns).map((line, index) => ({
    text: index === 0 ? indent + line.trimStart() : line,
    tone,
  }));
}

/** Renders what the running removal has done, before the changes. The state above has what it does now. */
function renderProgress(messages: readonly string[], columns: number): TextLine[] {
  const lines = messages.slice(0, -1).flatMap((message) => wrapLines(message, columns));
  return lines.length === 0 ? [] : [...lines.map((text) => ({ text, tone: 'muted' as const })), { text: '' }];
}

function renderRemoval({ changes, balancers }: RemovalView, columns: number): TextLine[] {
  const diff = renderChanges(
    changes.map(({ what: _what, ...change }) => change),
    columns,
  );
  return [
    ...diff,
    ...balancers.flatMap(({ name, state, upMembers, downMembers }): TextLine[] => [
      {
        text: words().member(name, state === 'silent' ? null : state === 'has-bootstrap'),
        tone: state === 'no-bootstrap' ? 'ok' : 'warn',
      },
      ...(upMembers.length > 0 ? wrapMembers(words().up(upMembers.join(', ')), columns) : []),
      ...(downMembers.length > 0 ? wrapMembers(words().down(downMembers.join(', ')), columns, 'muted') : []),
    ]),
  ];
}
