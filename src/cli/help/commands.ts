import type { Block, PageFacts } from './page.ts';

/** Returns the output of `--help`, which is already wrapped. */
export function commandsPage({ usage }: PageFacts): readonly Block[] {
  return [{ kind: 'verbatim', text: usage.trimEnd(), indent: 0 }];
}
