/**
 * Stacked bars, one per day. Loaded only when there is something to draw, and without preact, which the bundler would
 * otherwise move into a chunk of its own.
 */
import uPlot from 'uplot'
import type { Series } from './figures.ts'

type ChartData = { days: string[]; series: Series[]; format(value: number): string }

const height = 260
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Each line includes the values below it; the last one drawn is the lowest part of a bar. */
const stacked = (series: Series[]): (number | null)[][] => {
  const below: number[] = []
  return series
    .map(({ values }) => values.map((value, day) => (below[day] = (below[day] ?? 0) + value) || null))
    .toReversed()
}

const colourOf = (element: Element, name: string) => {
  const probe = document.createElement('span')
  probe.className = name
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const optionsFor = (element: HTMLElement, { days, series, format }: ChartData): uPlot.Options => {
  const [text, line, edge] = ['axis-text', 'axis-line', 'bar-edge'].map((name) => colourOf(element, name)) as [
    string,
    string,
    string,
  ]
  const axis = {
    stroke: text,
    font: '12px system-ui, sans-serif',
    ticks: { stroke: line, width: 1 },
    grid: { stroke: line, width: 1 },
  }
  const coloured = series.map((_, index) => colourOf(element, `series-${index + 1}`)).toReversed()
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.6, days.length - 0.4] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.05, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 60,
        incrs: [1, 2, 5, 10, 20, 30, 60],
        values: (_, splits) =>
          splits.map((at) => (days[at] === undefined ? '' : dayFormat.format(new Date(`${days[at]}T00:00:00Z`)))),
      },
      { ...axis, size: 70, values: (_, splits) => splits.map(format) },
    ],
    series: [
      {},
      ...coloured.map((colour) => ({
        fill: colour,
        stroke: edge,
        width: 1,
        points: { show: false },
        paths: uPlot.paths.bars!({ size: [0.8, 40] }),
      })),
    ],
  }
}

/**
 * Draws into the element until the returned function is called, and again when its width or the colour scheme changes.
 */
const drawChart = (element: HTMLElement, drawn: ChartData) => {
  const { days, series } = drawn
  const dark = matchMedia('(prefers-color-scheme: dark)')
  let plot: uPlot | undefined
  const draw = () => {
    plot?.destroy()
    plot = new uPlot(optionsFor(element, drawn), [days.map((_, index) => index), ...stacked(series)], element)
  }
  draw()
  const observer = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }))
  observer.observe(element)
  dark.addEventListener('change', draw)
  return () => {
    observer.disconnect()
    dark.removeEventListener('change', draw)
    plot?.destroy()
  }
}

export default drawChart
