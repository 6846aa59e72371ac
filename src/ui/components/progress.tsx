import { Box, useAnimation } from 'ink';
import type { ReactNode } from 'react';
import { catalogue } from '../../text/catalogue.ts';
import { cut, pad, widthOf } from '../../text/width.ts';
import { type Area, AreaProvider, useArea, useLook } from '../look.tsx';
import { glyphs, type Tone } from '../theme.ts';
import { Label, Row } from './label.tsx';

const words = () => catalogue().ui;

export interface ProgressBarProps {
  readonly done: number;
  readonly total: number;
  /** Cells of the bar itself; 20 by default. */
  readonly width?: number;
  /** Said after it instead of the percentage. */
  readonly label?: string;
}

/**
 * How much of something is done.
 *
 *     [########............]  40 %
 */
export function ProgressBar({ done, total, width = 20, label }: ProgressBarProps) {
  const signs = glyphs(useLook());
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const full = Math.floor(share * width);
  return (
    <Row>
      <Box flexShrink={0}>
        <Label tone="accent">{`[${signs.barFull.repeat(full)}${signs.barEmpty.repeat(width - full)}]`}</Label>
      </Box>
      <Label>{`  ${label ?? words().percent(share * 100)}`}</Label>
    </Row>
  );
}

/** Every turn draws the whole screen: what takes minutes turns once a second, and costs a hundredth of a processor. */
const TURN = { quick: 120, calm: 1000 };

/**
 * The sign that something runs. Stands still where a frame is costly.
 * @param isCalm for what takes minutes
 */
export function useTurningSign(isCalm: boolean, isActive = true): string {
  const look = useLook();
  const signs = glyphs(look);
  const interval = isCalm ? TURN.calm : TURN.quick;
  const { frame } = useAnimation({ interval, isActive: isActive && look.canAnimate });
  return look.canAnimate ? (signs.spinner[frame % signs.spinner.length] ?? signs.running) : signs.running;
}

/**
 * A sign that something runs, with what it is.
 *
 *     ⠹ Looking at the cluster
 */
export function Spinner({ label }: { readonly label: string }) {
  return <Label tone="accent">{`${useTurningSign(false)} ${label}`}</Label>;
}

export interface KeyValueItem {
  readonly key: string;
  readonly value: string;
  readonly tone?: Tone;
}

/**
 * Names and values, one under the other.
 *
 *     Cluster          ocp45.example.localdomain
 *     Console          https://console-openshift-console.apps...
 */
export function KeyValue({ items }: { readonly items: readonly KeyValueItem[] }) {
  const look = useLook();
  const { columns } = useArea();
  const keyRoom = Math.min(Math.max(0, ...items.map(({ key }) => widthOf(key))), Math.floor(columns / 2));
  const mark = glyphs(look).ellipsis;
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {items.map(({ key, value, tone = 'text' }) => (
        <Row key={key}>
          <Label tone="dim">{`${pad(key, keyRoom, '~')}  `}</Label>
          <Label tone={tone}>{cut(value, columns - keyRoom - 2, mark)}</Label>
        </Row>
      ))}
    </Box>
  );
}

export interface ColumnsProps {
  /** Cells of the left part, or a share below 1 of the room. */
  readonly left: number;
  /** The two parts. Each sees its own room as its area. */
  readonly children: readonly [ReactNode, ReactNode];
  readonly height?: number;
}

/** Two parts side by side with two cells between them. */
export function Columns({ left, children, height }: ColumnsProps) {
  const { columns, rows } = useArea();
  const leftColumns = Math.min(columns, left < 1 ? Math.floor(columns * left) : left);
  const tall = height ?? rows;
  return (
    <Box width={columns} height={tall} flexShrink={0} overflow="hidden">
      <Part area={{ columns: leftColumns, rows: tall }}>{children[0]}</Part>
      <Box width={2} flexShrink={0} />
      <Part area={{ columns: Math.max(0, columns - leftColumns - 2), rows: tall }}>{children[1]}</Part>
    </Box>
  );
}

export interface StackItem {
  /** Lines it takes; `rest` shares what is left (one item only). */
  readonly height: number | 'rest';
  readonly id: string;
  readonly content: ReactNode;
}

/** Parts one under the other, each with its own area of known height: what is above never pushes what is below. */
export function Stack({ items }: { readonly items: readonly StackItem[] }) {
  const { columns, rows } = useArea();
  const fixed = items.reduce((sum, { height }) => sum + (height === 'rest' ? 0 : height), 0);
  return (
    <Box flexDirection="column" flexShrink={0} width={columns} height={rows} overflow="hidden">
      {items.map(({ id, height, content }) => (
        <Part key={id} area={{ columns, rows: height === 'rest' ? Math.max(0, rows - fixed) : height }}>
          {content}
        </Part>
      ))}
    </Box>
  );
}

/** A part of the screen that knows its own room and cuts what is larger. */
export function Part({ area, children }: { readonly area: Area; readonly children: ReactNode }) {
  return (
    <Box width={area.columns} height={area.rows} flexShrink={0} flexDirection="column" overflow="hidden">
      <AreaProvider area={area}>{children}</AreaProvider>
    </Box>
  );
}
