/** Stacked bars, one per day, as SVG: the styles colour it in either scheme, and percentages give it its width. */
import { linesUpTo, partsOf } from './bars.ts'
import type { Series } from './figures.ts'

const height = 220
/** More would touch each other on a phone. */
const maxDayLabels = 5
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

type LinesProps = { values: number[]; top: number; format(value: number): string }
const Lines = ({ values, top, format }: LinesProps) =>
  values.map((value) => {
    const y = height * (1 - value / top)
    return (
      <g key={value}>
        <line class="axis-line" x2="100%" y1={y} y2={y} />
        <text class="axis-text" x="-8" y={y + 4} text-anchor="end">
          {format(value)}
        </text>
      </g>
    )
  })

type ChartProps = { days: string[]; series: Series[]; label: string; format(value: number): string }
/** The tables below the chart have the same figures, so the picture needs only a short description. */
export const Chart = ({ days, series, label, format }: ChartProps) => {
  const sums = days.map((_, day) => series.reduce((sum, { values }) => sum + values[day]!, 0))
  const top = Math.max(...sums)
  const lines = linesUpTo(top, sums.every(Number.isInteger))
  const percent = (day: number) => `${(day / days.length) * 100}%`
  // The bars of a few days would otherwise be blocks.
  const width = days.length < 10 ? 0.4 : 0.8
  const labelEvery = Math.ceil(days.length / maxDayLabels)
  return (
    <svg class="chart" role="img" aria-label={label} height={height}>
      <Lines values={[0, ...lines]} top={top} format={format} />
      {days.map((day, at) => (
        <g key={day}>
          {partsOf(series, at).map(({ index, from, size }) => (
            <rect
              key={index}
              class={`series-${index + 1}`}
              x={percent(at + (1 - width) / 2)}
              width={percent(width)}
              y={height * (1 - (from + size) / top)}
              height={(height * size) / top}
            />
          ))}
          {at % labelEvery === 0 && (
            <text class="axis-text" x={percent(at + 0.5)} y={height + 20} text-anchor="middle">
              {dayFormat.format(new Date(`${day}T00:00:00Z`))}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}
