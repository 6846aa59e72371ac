/** A word that this project does not use, and what to write in its place. */
export interface AvoidedWord {
  readonly word: RegExp;
  readonly instead: string;
}

/** Words inside names. A name is split into its words first: `seenMove` is `seen`, `move`. */
export const AVOIDED_IN_NAMES: readonly AvoidedWord[] = [
  { word: /^hands$/, instead: 'manualActions, byHand' },
  { word: /^(?:sight|foresight|outlook)$/, instead: 'ClusterReader, PlannedCluster, …Context' },
  { word: /^(?:recollection|recall)$/, instead: '…Cache, load…' },
  { word: /^(?:clue|clues)$/, instead: 'Symptom' },
  { word: /^(?:trouble|troubles)$/, instead: 'error, userError, failure' },
  { word: /^(?:told|said|says|saying|telling)$/, instead: 'report…, message, text' },
  { word: /^(?:seen|saw)$/, instead: 'observed…, detected…, …Probe' },
  { word: /^(?:kept|keeping)$/, instead: 'retained…, existing…, keep… (a verb)' },
  { word: /^(?:anew|whence|wherefrom|manieth)$/, instead: 'again, source, index' },
  { word: /^(?:carried|carrier|born|standing|lingering)$/, instead: 'target…, createdBy…, state…' },
  { word: /^(?:judge|judged|judges|judgement|judging)$/, instead: 'review…, evaluate…, verdict' },
  {
    word: /^(?:furnish|furnished|slip|slips|outlast|comforts|wish|grab|guest)$/,
    instead: 'prepare…, fault, retry…, option, peer',
  },
  { word: /^(?:somebody|nobody|whoever|who|whom|whose)$/, instead: 'user, host, owner, none' },
  { word: /^(?:doable|wayback|riding|rideout|worded|leavings)$/, instead: 'possible, restore, retry…, format…' },
  { word: /^(?:door|doors|room|rooms|rail|course)$/, instead: 'access, capacity, sidebar, progress' },
];

/** Words in comments and in the messages of the catalogue. */
export const AVOIDED_IN_SENTENCES: readonly AvoidedWord[] = [
  { word: /\b(?:told|tells that)\b/i, instead: 'reported, shown, named' },
  { word: /\banew\b/i, instead: 'again' },
  { word: /\b(?:nobody|somebody|whoever|whomever)\b/i, instead: 'the user, no host, any client: name it' },
  { word: /\ba person\b/i, instead: 'the user, you' },
  { word: /\bmanieth\b/i, instead: 'its number' },
  { word: /\bthe like\b/i, instead: 'name the things' },
  { word: /\b(?:lies|lie) (?:there|in|at|under|beside|on)\b/i, instead: 'is, stands in' },
  { word: /\bway back\b/i, instead: 'undo, restore' },
  { word: /\b(?:in life|just now)\b/i, instead: 'in production; now' },
];

/** The first words of a comment that make the reader wait for its subject. */
export const AVOIDED_BEGINNINGS = /^(?:What|Who|Whoever|So long|So many|Where|Nobody|Somebody) /;

/** The most words of a sentence in a comment. */
export const LONGEST_SENTENCE = 25;

/** Names that break a rule on purpose, each with its reason. At most thirty. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  kept: 'a key of the JSON that generate and export print',
  slips: 'a key of the saved state of a simulated site',
  who: 'a variable of templates/firewall.sh.eta, and the affected machines in a table of tests',
  lastSeenAt: 'a word of the field: when a machine was last seen',
  formatLastSeen: 'the text of lastSeenAt',
  seen: 'the sightings of a value in tests, which sets and maps collect',
  seenAt: 'times in tests at which a value was seen first',
  trouble: 'a key of the JSON that hosts prints',
  serving: 'a certificate request for a serving certificate, beside client',
  containing: 'the matcher of a text that contains another',
};
