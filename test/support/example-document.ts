import { exampleDesign } from '../../src/design/example.ts';
import type { Design, Topology } from '../../src/design/model.ts';
import { type Parsed, parseDesign } from '../../src/design/parse.ts';

const read = new Map<Topology, Parsed>();

/** The documented example as plain data: read once; each caller gets a copy. */
export function exampleDocument(topology: Topology = 'standard'): unknown {
  return structuredClone(exampleParsed(topology).document);
}

/** The documented example as a design. */
export function exampleOf(topology: Topology = 'standard'): Design {
  const { design, problems } = exampleParsed(topology);
  if (!design) throw new Error(`the example is wrong: ${problems.map(({ message }) => message).join(' ')}`);
  return structuredClone(design);
}

function exampleParsed(topology: Topology): Parsed {
  const parsed = read.get(topology) ?? parseDesign(exampleDesign({ topology }));
  read.set(topology, parsed);
  return parsed;
}
