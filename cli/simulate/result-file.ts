import { accessSync, closeSync, constants, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { writingProblem } from "../terminal.ts";

/**
 * What is wrong with a file that is to be written after a long run, found before it; undefined: nothing. A file that is
 * there keeps its content for now. Pipes and devices are not opened, since whoever is at the other end would see it.
 */
export function fileProblem(file: string, option = "--json"): string | undefined {
  if (file === "") return `${option} "": names no file (give a path, or - for stdout)`;
  try {
    const existing = statSync(file, { throwIfNoEntry: false });
    if (existing !== undefined && !existing.isFile() && !existing.isDirectory()) accessSync(file, constants.W_OK);
    else {
      closeSync(openSync(file, "a"));
      if (existing === undefined) rmSync(file);
    }
    return undefined;
  } catch (error) {
    return `${option} ${file}: cannot be written (${writingProblem(error)})`;
  }
}

/** Writes the file; answers what went wrong. */
export function writeResult(file: string, text: string, option = "--json"): string | undefined {
  try {
    writeFileSync(file, text);
    return undefined;
  } catch (error) {
    return `${option} ${file}: cannot be written (${writingProblem(error)})`;
  }
}
