/** The console: a page over the public HTTP API. */
import './styles/index.css'
import { render } from 'preact'
import { App } from './app.tsx'

render(<App />, document.getElementById('app')!)
