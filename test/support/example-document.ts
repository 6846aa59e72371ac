import type { Topology } from '../../src/design/choices.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import type { Design } from '../../src/design/model.ts';
import { type ParsedDesign, parseDesign } from '../../src/design/parse.ts';

const parsedExamples = new Map<Topology, ParsedDesign>();

/** Returns the documented example as plain data: read once; each caller gets a copy. */
export function exampleDocument(topology: Topology = 'standard'): unknown {
  return structuredClone(parseExample(topology).document);
}

/** Creates the documented example as a design. */
export function createExampleDesign(topology: Topology = 'standard'): Design {
  const { design, problems } = parseExample(topology);
  if (!design) throw new Error(`the example is wrong: ${problems.map(({ message }) => message).join(' ')}`);
  return structuredClone(design);
}

function parseExample(topology: Topology): ParsedDesign {
  const parsed = parsedExamples.get(topology) ?? parseDesign(renderExampleDesign({ topology }));
  parsedExamples.set(topology, parsed);
  return parsed;
}
