//! Which exercises there are: read from the manifests, so that it is known even when nothing compiles.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// One exercise, as its chapter's manifest describes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Exercise {
    pub(crate) name: String,
    pub(crate) title: String,
    /// Relative to the chapter's folder.
    pub(crate) file: PathBuf,
    pub(crate) minutes: u32,
}

/// One chapter: a package with `package.metadata.workbook`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chapter {
    /// The package's name: `ch03-twos-complement`.
    pub(crate) package: String,
    pub(crate) folder: PathBuf,
    pub(crate) exercises: Vec<Exercise>,
    /// What of `engine` its checks may use; the modules that the book has introduced by then.
    pub(crate) engine: Vec<String>,
}

impl Chapter {
    /// The file that the learner edits.
    pub(crate) fn answer(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(&exercise.file)
    }

    /// The same file as it was before any edit.
    pub(crate) fn stub(&self, exercise: &Exercise) -> PathBuf {
        let name = exercise.file.file_name().unwrap_or_default();
        self.folder.join("stubs").join(name)
    }

    pub(crate) fn hints(&self, exercise: &Exercise) -> PathBuf {
        self.folder
            .join("hints")
            .join(format!("{}.md", exercise.name))
    }

    /// The folder of the chapter's page: `03-twos-complement`.
    pub(crate) fn page(&self) -> &str {
        self.package.strip_prefix("ch").unwrap_or(&self.package)
    }
}

/// The repository and its chapters, in the order of the book.
#[derive(Clone, Debug)]
pub(crate) struct Catalogue {
    pub(crate) root: PathBuf,
    /// The folders at the root that hold its packages.
    pub(crate) folders: BTreeSet<OsString>,
    pub(crate) chapters: Vec<Chapter>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    metadata: Option<PackageMetadata>,
}

#[derive(Deserialize)]
struct PackageMetadata {
    workbook: Option<WorkbookMetadata>,
}

#[derive(Deserialize)]
struct WorkbookMetadata {
    exercises: Vec<Exercise>,
    #[serde(default)]
    engine: Vec<String>,
}

impl Catalogue {
    /// Reads the catalogue of the repository that holds `from`.
    pub(crate) fn load(from: &Path) -> Result<Self> {
        let root = find_root(from)?;
        let output = Command::new(cargo())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(&root)
            .output()
            .context("cannot run cargo")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let advice = advice(&root, &said).unwrap_or_default();
            bail!("cargo cannot read the manifests:\n{}{advice}", said.trim());
        }
        let metadata: Metadata = serde_json::from_slice(&output.stdout)
            .context("a [package.metadata.workbook] table is not as exercises/README.md says")?;
        let mut folders = BTreeSet::new();
        for package in &metadata.packages {
            let below = package.manifest_path.strip_prefix(&root).ok();
            let mut parts = below.into_iter().flat_map(Path::components);
            // A package at the root has a file there.
            if let (Some(first), Some(_)) = (parts.next(), parts.next()) {
                folders.insert(first.as_os_str().to_owned());
            }
        }
        let mut chapters: Vec<Chapter> = metadata
            .packages
            .into_iter()
            .filter_map(|package| {
                let workbook = package.metadata?.workbook?;
                Some(Chapter {
                    package: package.name,
                    folder: package.manifest_path.parent()?.to_path_buf(),
                    exercises: workbook.exercises,
                    engine: workbook.engine,
                })
            })
            .collect();
        chapters.sort_by(|a, b| a.package.cmp(&b.package));
        let catalogue = Self {
            root,
            folders,
            chapters,
        };
        // All commands tell exercises apart by their names.
        let mut names = BTreeMap::new();
        for (chapter, Exercise { name, .. }) in catalogue.exercises() {
            if let Some(other) = names.insert(name, &chapter.package) {
                bail!(
                    "two exercises are called `{name}`, in {other} and in {}; rename one in its Cargo.toml and checks",
                    chapter.package
                );
            }
        }
        Ok(catalogue)
    }

    /// Every exercise with its chapter.
    pub(crate) fn exercises(&self) -> impl Iterator<Item = (&Chapter, &Exercise)> {
        self.chapters
            .iter()
            .flat_map(|chapter| chapter.exercises.iter().map(move |e| (chapter, e)))
    }

    /// The exercise with this name.
    ///
    /// # Errors
    /// Names the exercise that comes nearest, or the command that lists them.
    pub(crate) fn find(&self, name: &str) -> Result<(&Chapter, &Exercise)> {
        let names = || self.exercises().map(|(_, e)| e.name.as_str());
        self.exercises()
            .find(|(_, e)| e.name == name)
            .with_context(|| {
                let suggestion = suggestion(name, names());
                format!("no exercise is called `{name}`; {suggestion}")
            })
    }

    /// The chapters to work on, each with the names chosen in it; all of them without a name. A chapter
    /// may be named too.
    pub(crate) fn choose(&self, name: Option<&str>) -> Result<Vec<(&Chapter, Vec<String>)>> {
        let all = |chapter: &Chapter| chapter.exercises.iter().map(|e| e.name.clone()).collect();
        let Some(name) = name else {
            return Ok(self.chapters.iter().map(|c| (c, all(c))).collect());
        };
        if let Some(chapter) = self
            .chapters
            .iter()
            .find(|c| c.package == name || c.page() == name)
        {
            return Ok(vec![(chapter, all(chapter))]);
        }
        if let Ok((chapter, exercise)) = self.find(name) {
            return Ok(vec![(chapter, vec![exercise.name.clone()])]);
        }
        let exercises = self.exercises().map(|(_, e)| e.name.as_str());
        let chapters = self.chapters.iter().map(|c| c.package.as_str());
        bail!(
            "no exercise or chapter is called `{name}`; {}",
            suggestion(name, exercises.chain(chapters))
        );
    }

    /// A path as a person reads it: relative to the repository.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let short = path.strip_prefix(&self.root).unwrap_or(path);
        short.display().to_string().replace('\\', "/")
    }
}

/// How to mend what cargo complains of, if that is a chapter: the files that nobody edits. The answers stay as they are.
fn advice(root: &Path, said: &str) -> Option<String> {
    let mut below = said
        .split('`')
        .filter_map(|quoted| Path::new(quoted).strip_prefix(root).ok());
    let folder = below.find_map(|path| {
        let mut parts = path.iter().filter_map(|part| part.to_str());
        let (exercises, chapter) = (parts.next()?, parts.next()?);
        (exercises == "exercises" && chapter.starts_with("ch"))
            .then(|| format!("{exercises}/{chapter}"))
    })?;
    Some(format!(
        "\nIf a file was lost or changed, bring it back with `git checkout -- {folder}/Cargo.toml {folder}/src/lib.rs \
         {folder}/checks`; your answers stay as they are"
    ))
}

fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    /// Below this likeness a suggestion would only confuse.
    const LIKENESS_MIN: f64 = 0.7;
    let name = &name.to_lowercase();
    let nearest = known
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest {
        Some((_, other)) => format!("did you mean `{other}`?"),
        None => "`cargo workbook list` names them all".to_owned(),
    }
}

/// The cargo that runs us, or the one on the path.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn find_root(from: &Path) -> Result<PathBuf> {
    from.ancestors()
        .find(|folder| folder.join("exercises/workbook/Cargo.toml").is_file())
        .map(Path::to_path_buf)
        .with_context(|| {
            format!(
                "{} is not inside the workbook's repository; change into the folder you cloned",
                from.display()
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_is_near_and_nothing_else() {
        let known = [
            "order-i64",
            "nine-bytes",
            "predict-order",
            "compare-and-set",
        ];
        let suggest = |name| suggestion(name, known.into_iter());
        assert_eq!(suggest("order-i46"), "did you mean `order-i64`?");
        assert_eq!(suggest("predict"), "did you mean `predict-order`?");
        assert_eq!(suggest("ORDER-I64"), "did you mean `order-i64`?");
        for far in ["qqq", "nonsense"] {
            assert!(suggest(far).contains("cargo workbook list"), "{far}");
        }
    }
}
