/** The console: a web page on top of the public HTTP API. */
import './styles/index.css'
import { render } from 'preact'
import { App } from './app.tsx'

render(<App />, document.getElementById('app')!)
