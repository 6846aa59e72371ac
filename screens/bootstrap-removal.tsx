import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { wrapBeside } from '../src/platform/text.ts';
import type { RemovalView } from '../src/steps/bootstrap-removal.ts';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { type Tone, useArea } from '../src/ui/terminal-style.tsx';
import { lastRender, scrollBindings } from './shared/bindings.ts';
import { renderChanges } from './shared/step/changes.ts';
import { createStepScreen } from './shared/step/step-page.tsx';

const words = () => catalogue().steps.removal;

/** Shows the changes on the load balancer as a diff; after that, the load balancers' own reports. */
export const bootstrapRemovalScreen = createStepScreen<RemovalView>({
  id: 'bootstrap-removal',
  isWide: true,
  bindings: (view) => [
    ...(view.overSsh === null
      ? []
      : [
          {
            keys: [SHORTCUTS.overSsh],
            label: words().overSsh.key,
            intent: { type: 'step/ask' as const, action: 'apply-one' as const, subject: view.overSsh },
          },
        ]),
    ...scrollBindings(renderRemoval(view, lastRender.columns).length),
  ],
  getQuestion: (_view, subject) => ({ question: words().overSsh.question(subject), details: words().overSsh.details }),
  neededRows: (view, _run, _now, _style, columns) => Math.max(1, renderRemoval(view, columns).length),
  Body: ({ view, run }) => <Diff view={view} top={run.top} />,
});

function Diff({ view, top }: { readonly view: RemovalView; readonly top: number }) {
  const area = useArea();
  lastRender.columns = area.columns;
  const lines = renderRemoval(view, area.columns);
  return (
    <LogView
      lines={lines}
      top={Math.min(top, Math.max(0, lines.length - area.rows))}
      height={area.rows}
      empty={view.bootstrap ? words().powerOff(view.bootstrap) : ''}
    />
  );
}

/** Wraps a list of members; without `columns`, it stays on one line. */
function wrapMembers(text: string, columns = Number.POSITIVE_INFINITY, tone: Tone = 'text'): TextLine[] {
  const [head = ''] = /^ */.exec(text) ?? [];
  return wrapBeside(`${head}  `, text.trimStart(), columns).map((line, index) => ({
    text: index === 0 ? head + line.trimStart() : line,
    tone,
  }));
}

function renderRemoval({ changes, balancers }: RemovalView, columns?: number): TextLine[] {
  const diff = renderChanges(
    changes.map(({ what: _what, ...change }) => change),
    columns,
  );
  return [
    ...diff,
    ...balancers.flatMap(({ name, state, up, down }): TextLine[] => [
      {
        text: words().member(name, state === 'silent' ? null : state === 'with'),
        tone: state === 'without' ? 'ok' : 'warn',
      },
      ...(up.length > 0 ? wrapMembers(words().up(up.join(', ')), columns) : []),
      ...(down.length > 0 ? wrapMembers(words().down(down.join(', ')), columns, 'dim') : []),
    ]),
  ];
}
