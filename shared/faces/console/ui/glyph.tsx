/** The icons of the interface, drawn on a grid of 24; decorative, because a word always says the same. */

const paths = {
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  steps: 'M5 5h14v5H5zM5 14h8v5H5zM16.5 14v6m-3-3h6',
  triggers: 'M13 3 5 13.5h6L10 21l8-10.5h-6z',
  agents: 'M6 9h12v10H6zM12 9V5m0 0a1 1 0 1 0 0-.01M9.5 13v1.5M14.5 13v1.5M3.5 13v3M20.5 13v3',
  events: 'M3 12h4l2.5-7 5 14 2.5-7h4',
  starts: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M10 8.5v7l5.5-3.5z',
  runs: 'M5 4v16l14-8z',
  jobs: 'M12 4 3.5 8.5 12 13l8.5-4.5zM3.5 12.5 12 17l8.5-4.5M3.5 16.5 12 21l8.5-4.5',
  lists: 'M4 6.5h1.5M9 6.5h11M4 12h1.5M9 12h11M4 17.5h1.5M9 17.5h11',
  approvals: 'M12 3 5 6v5.5c0 4.3 2.8 7.8 7 9.5 4.2-1.7 7-5.2 7-9.5V6zM9 12l2.2 2.2L15.2 10',
  connections: 'M9 7V3m6 4V3M6.5 7h11v4.5a5.5 5.5 0 0 1-11 0zM12 17v4',
  usage: 'M4 20h16M7 16v-5m5 5V5m5 11V8',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 0 1 0 6M17.5 14.5c2.2.8 3.5 2.8 3.5 5.5',
  programs: 'M4 5h16v14H4zM4 9h16M8 13l2 2-2 2M12.5 17H16',
  tokens: 'M8 11a4 4 0 1 0 0 .01M11.5 12H20v3M16 12v3',
  operator: 'M5 7h6m4 0h4M5 12h2m4 0h8M5 17h8m4 0h2M11 5v4M7 10v4M13 15v4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20',
  menu: 'M4 7h16M4 12h16M4 17h16',
  fold: 'M4 5h16v14H4zM9.5 5v14M16 10l-2 2 2 2',
  unfold: 'M4 5h16v14H4zM9.5 5v14M14 10l2 2-2 2',
  close: 'M6 6l12 12M18 6 6 18',
  right: 'M9 5l7 7-7 7',
  left: 'M15 5l-7 7 7 7',
  down: 'M5 9l7 7 7-7',
  updown: 'M8 10l4-4 4 4M8 14l4 4 4-4',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M5 12.5 10 17.5 19.5 7',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17v.2',
  failed: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9 9l6 6m0-6-6 6',
  done: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M8 12.3l2.8 2.7L16 9.5',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5M12 7.8V8',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M4 20h16',
  plus: 'M12 5v14M5 12h14',
  outside: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  leave: 'M14 4H5v16h9M11 12h9.5m-3.5-3.5 3.5 3.5-3.5 3.5',
}
export type GlyphName = keyof typeof paths

export const Glyph = ({ name }: { name: GlyphName }) => (
  <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

/** The mark of toolyard: a yard's roof over its open gate. */
export const Mark = () => (
  <svg class="mark-of-toolyard" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M6.5 15 16 8l9.5 7M9.5 14.5V24h13v-9.5M13.5 24v-5.5h5V24" />
  </svg>
)
