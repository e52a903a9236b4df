import { Counter } from 'prom-client'
import type { Metric, Registry } from 'prom-client'

type Text = { name: string; help: string }
/** What was counted under one combination of label values. `buckets`: how many took up to each bound, and no less. */
type Series = { labels: Record<string, string | number>; count: number; seconds: number; buckets: number[] }
type SeriesByLabels = Map<string, Map<string, Map<string | number, Series>>>

/** Upper bounds of buckets, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** The values of a histogram by one label, as prom-client prints them. */
const histogramValues = (name: string, label: string, all: Series[]) =>
  [...Map.groupBy(all, ({ labels }) => labels[label]!)].flatMap(([value, group]) => {
    const labels = { [label]: value }
    const sum = (of: (series: Series) => number) => group.reduce((total, series) => total + of(series), 0)
    let upTo = 0
    const buckets = bounds.map((le, index) => {
      upTo += sum((series) => series.buckets[index]!)
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo }
    })
    const count = sum((series) => series.count)
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: sum(({ seconds }) => seconds) },
      { metricName: `${name}_count`, labels, value: count },
    ]
  })

/**
 * A counter with three labels, and a histogram of durations by the label `by`, both counted in one place. prom-client
 * would join the labels of every single count to a text and look that up, which costs ten times as much.
 *
 * The function that counts takes the values of the labels in the order of their names, and milliseconds. It throws
 * TypeError for a duration that is no number.
 */
export const createTimedCounts = <Name extends string>(
  registers: Registry[],
  labelNames: readonly [Name, Name, Name],
  counter: Text,
  { by, ...histogram }: Text & { by: Name },
) => {
  const all: Series[] = []
  const known: SeriesByLabels = new Map()
  const [firstName, secondName, thirdName] = labelNames
  new Counter({
    ...counter,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const { labels, count } of all) this.inc(labels as Partial<Record<Name, string | number>>, count)
    },
  })
  const get = async () => ({ ...histogram, type: 'histogram', values: histogramValues(histogram.name, by, all) })
  // A registry asks no more of a metric than its name and its values.
  for (const registry of registers) registry.registerMetric({ name: histogram.name, get } as unknown as Metric)

  return (first: string, second: string, third: string | number, ms: number): void => {
    if (!Number.isFinite(ms)) throw new TypeError(`A duration is no number: ${ms}`)
    let ofFirst = known.get(first)
    if (!ofFirst) known.set(first, (ofFirst = new Map()))
    let ofSecond = ofFirst.get(second)
    if (!ofSecond) ofFirst.set(second, (ofSecond = new Map()))
    let series = ofSecond.get(third)
    if (!series) {
      const labels = { [firstName]: first, [secondName]: second, [thirdName]: third }
      series = { labels, count: 0, seconds: 0, buckets: bounds.map(() => 0) }
      ofSecond.set(third, series)
      all.push(series)
    }
    const seconds = ms / 1000
    series.count += 1
    series.seconds += seconds
    for (let index = 0; index < bounds.length; index += 1)
      if (seconds <= bounds[index]!) {
        series.buckets[index]! += 1
        return
      }
  }
}
