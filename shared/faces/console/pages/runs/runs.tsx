import { Page } from '../../ui/page.tsx'

const Runs = () => <Page title="Runs">{null}</Page>

export default Runs
