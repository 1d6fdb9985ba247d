// What a plot by minutes shows. Pure.

export type Layer =
  /** Bars from one height to another; a bar of the same heights is none. */
  | { kind: 'bars'; from: readonly number[]; to: readonly number[]; colour: string }
  /** Null where there is no value. */
  | { kind: 'line'; values: readonly (number | null)[]; colour: string }
export type PlotFacts = {
  /** The beginning of each minute, in milliseconds, oldest first. */
  minutes: readonly number[]
  /** Drawn one over the other, the first at the bottom. */
  layers: readonly Layer[]
  /** The value at the top. */
  top: number
  /** A thin line across. */
  line: number | null
  zone: string
}
