import type { GenerateView } from '../src/steps/generate.ts';
import { screens } from '../src/text/en/screens.ts';
import { Gap } from '../src/ui/components/label.tsx';
import { Table } from '../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { AreaProvider, useArea } from '../src/ui/look.tsx';
import type { Tone } from '../src/ui/theme.ts';
import { differenceLines } from './shared/changes.ts';
import { stepPage } from './shared/step-page.tsx';

const words = screens.generate;
const TONES: Readonly<Record<string, Tone>> = {
  new: 'ok',
  changed: 'warn',
  edited: 'warn',
  obsolete: 'error',
  unchanged: 'dim',
};

/** The files by host, and under them the selected one: its text, or what would change in it. */
export const generateScreen = stepPage<GenerateView>({
  id: 'generate',
  isWide: true,
  rowCount: ({ files }) => files.length,
  Body: ({ view, run }) => <Files view={view} row={run.row} />,
});

function Files({ view, row }: { readonly view: GenerateView; readonly row: number }) {
  const area = useArea();
  // What is written comes first; the rest stays in the order of the hosts.
  const files = [...view.files].sort((a, b) => Number(a.state === 'unchanged') - Number(b.state === 'unchanged'));
  const top = Math.min(files.length + 1, Math.max(4, Math.floor(area.rows / 2)));
  const selected = files[Math.min(row, files.length - 1)];
  return (
    <>
      <Table
        columns={[
          { id: 'state', title: words.columns.state, min: 8, max: 8 },
          { id: 'file', title: words.columns.file, min: 20, max: 100 },
        ]}
        rows={files.map(({ file, state }) => ({
          id: file,
          cells: { state: words.states[state], file },
          tones: { state: TONES[state] ?? 'text' },
        }))}
        selected={Math.min(row, files.length - 1)}
        height={top}
      />
      <Gap />
      <AreaProvider area={{ columns: area.columns, rows: Math.max(0, area.rows - top - 1) }}>
        <LogView lines={selected ? preview(selected) : []} top={0} empty="" />
      </AreaProvider>
    </>
  );
}

function preview({ content, before, state, isSecret }: GenerateView['files'][number]): TextLine[] {
  if (isSecret) return [{ text: words.secret, tone: 'dim' }];
  if (before !== null && state !== 'unchanged') return differenceLines(before, content);
  return content
    .split('\n')
    .map((text): TextLine => ({ text, ...(/^\s*(?:#|;|\/\/)/.test(text) ? { tone: 'dim' } : {}) }));
}
