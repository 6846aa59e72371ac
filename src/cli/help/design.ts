import { type DesignKey, designKeys, type KeyFacts } from '../../design/keys.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, longTerms, text, verbatim } from './page.ts';
import { SMALL_DESIGN } from './small-design.ts';

const words = () => catalogue().help.design;

interface KeyWords {
  readonly what: string;
  readonly leftOut?: string;
}

/** Every key of the design file, from its schema. */
export function designPage(): readonly Block[] {
  const { intro, make, schemaLine, strict, names, exampleTitle, keysTitle } = words();
  const keys: Readonly<Record<DesignKey, KeyWords>> = words().keys;
  return [
    text(intro),
    text(make),
    verbatim(schemaLine),
    text(strict),
    text(names),
    heading(exampleTitle),
    verbatim(SMALL_DESIGN.trimEnd()),
    heading(keysTitle),
    longTerms(designKeys().map((facts) => ({ name: facts.key, lines: linesOf(facts, keys[facts.key]) }))),
  ];
}

function linesOf(facts: KeyFacts, { what, leftOut }: KeyWords): string[] {
  return [what, `${typeText(facts)} ${leftOut === undefined ? words().required : words().leftOut(leftOut)}`];
}

function typeText({ type, choices }: KeyFacts): string {
  const { types } = words();
  return type === 'choice' ? types.choice(choices.join(', ')) : types[type];
}
