import { sameJson } from "#api/same-json.ts";
import type { EnsureLaunchTemplate } from "#core/command.ts";

/** Launch templates by name. Outrigger names them by a hash of their content, so a name never changes its content. */
export class LaunchTemplates {
  readonly #templates = new Map<string, EnsureLaunchTemplate>();

  /** Throws when the name is taken by other content: that is a defect of whoever made the name. */
  ensure(template: EnsureLaunchTemplate): void {
    const existing = this.#templates.get(template.name);
    if (existing !== undefined && !sameJson(existing, template)) {
      const both = [existing, template].map((each) => JSON.stringify(each)).join(" is not ");
      throw new Error(`launch template ${template.name} exists with other content: ${both}`);
    }
    this.#templates.set(template.name, template);
  }

  get(name: string): EnsureLaunchTemplate | undefined {
    return this.#templates.get(name);
  }

  /** Somebody else removes it. */
  delete(name: string): void {
    this.#templates.delete(name);
  }
}
