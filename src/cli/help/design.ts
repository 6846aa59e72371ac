import { type DesignKey, type DesignKeyInfo, listDesignKeys } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';

import { type Block, heading, longTerms, text, verbatim } from './page.ts';
import { SMALL_DESIGN } from './small-design.ts';

const words = () => catalogue().help.design;

interface KeyTexts {
  readonly what: string;
  readonly leftOut?: string;
}

/** Returns every key of the design file, from its schema. */
export function designPage(): readonly Block[] {
  const { intro, make, schemaLine, strict, names, exampleTitle, keysTitle } = words();
  const keys: Readonly<Record<DesignKey, KeyTexts>> = words().keys;
  return [
    text(intro),
    text(make),
    verbatim(schemaLine),
    text(strict),
    text(names),
    heading(exampleTitle),
    verbatim(SMALL_DESIGN.trimEnd()),
    heading(keysTitle),
    longTerms(listDesignKeys().map((facts) => ({ name: facts.key, lines: formatKey(facts, keys[facts.key]) }))),
  ];
}

function formatKey(facts: DesignKeyInfo, { what, leftOut }: KeyTexts): string[] {
  return [what, `${formatType(facts)} ${leftOut === undefined ? words().required : words().defaultValue(leftOut)}`];
}

function formatType({ type, choices }: DesignKeyInfo): string {
  const { types } = words();
  return type === 'choice' ? types.choice(choices.join(', ')) : types[type];
}
