import { render } from 'ink-testing-library';
import { expect, test } from 'vitest';
import { ProgressBar } from '../../src/ui/components/notices.tsx';
import { TerminalStyleProvider } from '../../src/ui/terminal-style.tsx';

const ascii = { hasUnicode: false, hasColour: false, canAnimate: false, columns: 80, rows: 24 };

test('a bar shows how much of its total is done', () => {
  const { lastFrame } = render(
    <TerminalStyleProvider style={ascii}>
      <ProgressBar done={2} total={5} width={10} />
    </TerminalStyleProvider>,
  );
  expect(lastFrame()).toBe('[####......]  40 %');
});
