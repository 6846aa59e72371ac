import type { Block, PageFacts } from './page.ts';

/** The same as `--help`, which breaks its lines itself. */
export function commandsPage({ usage }: PageFacts): readonly Block[] {
  return [{ kind: 'verbatim', text: usage.trimEnd(), indent: 0 }];
}
